// Finds the type of every node; reports an issue where there is none.
// Upstream: github.com/google/cel-go v0.26 checker/checker.go, checker/errors.go.
import type {
  Call,
  Comprehension,
  Expr,
  ListExpr,
  MapExpr,
  Select,
  StructExpr,
} from "../ast/ast.ts";
import type { FunctionDeclaration, Overload } from "../functions/declarations.ts";
import type { Environment } from "../environment/environment.ts";
import type { Issue } from "../ast/source.ts";
import {
  anyType,
  boolType,
  dynType,
  errorType,
  formatArguments,
  formatType,
  intType,
  listType,
  mapType,
  optionalType,
  sameType,
  structType,
  type Type,
  typeOf,
  unwrapOptional,
} from "../types/type.ts";
import { mostGeneral, TypeBindings } from "./type-bindings.ts";
import { typeOfValue } from "../values/value.ts";

/** Checks a parsed tree, writing types and overloads into it. Returns the issues found. */
export function checkExpression(root: Expr, environment: Environment): readonly Issue[] {
  const checker = new Checker(environment);
  checker.check(root);
  checker.finish();
  if (checker.issues.length === 0)
    for (const check of environment.checks) check(root, (issue) => checker.issues.push(issue));
  return checker.issues;
}

class Checker {
  readonly issues: Issue[] = [];
  readonly #environment: Environment;
  readonly #bindings = new TypeBindings();
  readonly #nodes: Expr[] = [];
  readonly #scopes: ReadonlyMap<string, Type>[] = [];

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  /** Replaces unbound type variables by dyn. */
  finish(): void {
    for (const node of this.#nodes) node.type = this.#bindings.resolve(node.type!, "dyn");
  }

  check(node: Expr): Type {
    const type = this.#typeOf(node);
    node.type = type;
    this.#nodes.push(node);
    return type;
  }

  #typeOf(node: Expr): Type {
    switch (node.kind) {
      case "literal":
        return typeOfValue(node.value);
      case "ident": {
        const found = this.#lookup(node.name);
        if (found === undefined) return this.#undeclared(node.at, node.name);
        if (node.name.startsWith(".")) node.name = node.name.slice(1);
        return found;
      }
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      default:
        return this.#comprehension(node);
    }
  }

  #lookup(written: string): Type | undefined {
    const name = written.startsWith(".") ? written.slice(1) : written;
    if (!written.startsWith(".")) {
      for (let i = this.#scopes.length - 1; i >= 0; i--) {
        const found = this.#scopes[i]!.get(name);
        if (found) return found;
      }
    }
    const variable = this.#environment.variables.get(name);
    if (variable) return variable;
    const constant = this.#environment.constants.get(name);
    if (constant !== undefined) return typeOfValue(constant);
    const struct = this.#environment.struct(name);
    const type =
      this.#environment.types.get(name) ?? (struct && (struct.literalType ?? structType(name)));
    return type && typeOf(type);
  }

  #select(node: Select): Type {
    const name = node.testOnly ? undefined : qualifiedName(node);
    const found = name === undefined ? undefined : this.#lookup(name);
    if (found) {
      node.ident = name!.replace(/^\./, "");
      return found;
    }
    const type = this.#field(node.at, node.operand, node.field, "plain");
    return node.testOnly ? boolType : this.#bindings.resolve(type, "keep");
  }

  #field(at: number, operand: Expr, field: string, style: "plain" | "optional"): Type {
    const operandType = this.#bindings.resolve(this.check(operand), "keep");
    const held = unwrapOptional(operandType);
    const result = this.#fieldOf(at, held ?? operandType, field);
    return held || style === "optional" ? optionalType(result) : result;
  }

  #fieldOf(at: number, target: Type, field: string): Type {
    switch (target.kind) {
      case "map":
        return target.params[1]!;
      case "struct":
        return this.#structField(at, target.name, field);
      case "param":
        this.#bindings.assign(dynType, target);
        return dynType;
      case "dyn":
      case "error":
        return dynType;
      default:
        this.#report(at, `type '${formatType(target)}' does not support field selection`);
        return dynType;
    }
  }

  #structField(at: number, struct: string, field: string): Type {
    const declared = this.#environment.struct(struct);
    if (!declared) return this.#error(at, `unexpected failed resolution of '${struct}'`);
    return declared.field(field) ?? this.#error(at, `undefined field '${field}'`);
  }

  #call(node: Call): Type {
    if (node.function === "_?._")
      return this.#bindings.resolve(
        this.#field(node.at, node.args[0]!, (node.args[1] as { value: string }).value, "optional"),
        "keep",
      );
    for (const arg of node.args) this.check(arg);
    if (node.target) {
      const prefix = qualifiedName(node.target);
      const namespaced =
        prefix === undefined ? undefined : this.#function(`${prefix}.${node.function}`);
      if (namespaced) {
        node.function = namespaced.name;
        node.target = undefined;
        return this.#resolve(node, namespaced);
      }
      this.check(node.target);
    }
    const declared = this.#function(node.function);
    if (!declared) return this.#undeclared(node.at, node.function);
    node.function = declared.name;
    return this.#resolve(node, declared);
  }

  #function(name: string): FunctionDeclaration | undefined {
    return this.#environment.functions.get(name.startsWith(".") ? name.slice(1) : name);
  }

  #resolve(node: Call, declared: FunctionDeclaration): Type {
    const style = node.target ? "member" : "global";
    const argTypes = (node.target ? [node.target, ...node.args] : node.args).map(
      (arg) => arg.type!,
    );
    if (declared.name === "_&&_" || declared.name === "_||_")
      return this.#logical(node, declared, argTypes);
    const matching: Overload[] = [];
    let result: Type | undefined;
    for (const overload of declared.overloads) {
      if (overload.style !== style || overload.args.length !== argTypes.length) continue;
      const wanted = this.#bindings.instantiate(overload);
      if (!this.#bindings.assignAll(argTypes, wanted.args)) continue;
      matching.push(overload);
      const type = this.#bindings.resolve(wanted.result, "keep");
      if (result === undefined) result = type;
      else if (result.kind !== "dyn" && !sameType(type, result)) result = dynType;
    }
    if (result === undefined) {
      const shown = argTypes.map((type) => this.#bindings.resolve(type, "dyn"));
      return this.#error(
        node.at,
        `found no matching overload for '${declared.name}' applied to '${formatArguments(shown, style)}'`,
      );
    }
    node.overloads = matching;
    return result;
  }

  #logical(node: Call, declared: FunctionDeclaration, argTypes: readonly Type[]): Type {
    node.overloads = declared.overloads;
    let result = boolType;
    for (const [i, type] of argTypes.entries())
      if (!this.#expect(node.args[i]!, boolType, type)) result = errorType;
    return result;
  }

  #list(node: ListExpr): Type {
    let joined: Type | undefined;
    for (const [i, element] of node.elements.entries()) {
      const type = this.check(element);
      joined = this.#join(joined, node.optional.has(i) ? this.#unwrapped(element, type) : type);
    }
    return listType(joined ?? this.#bindings.newVariable());
  }

  #map(node: MapExpr): Type {
    let key: Type | undefined;
    let value: Type | undefined;
    for (const entry of node.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.check(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrapped(entry.value, type) : type);
    }
    return mapType(key ?? this.#bindings.newVariable(), value ?? this.#bindings.newVariable());
  }

  /** The type inside the optional of an element written `?x`. */
  #unwrapped(node: Expr, type: Type): Type {
    const held = unwrapOptional(type);
    if (held) return held;
    if (type.kind !== "dyn") this.#mismatch(node.at, optionalType(type), type);
    return type;
  }

  #join(previous: Type | undefined, current: Type): Type {
    if (!previous) return current;
    return this.#bindings.assign(previous, current) ? mostGeneral(previous, current) : dynType;
  }

  #struct(node: StructExpr): Type {
    const found = this.#lookup(node.name);
    if (found === undefined) return this.#undeclared(node.at, node.name);
    if (node.name.startsWith(".")) node.name = node.name.slice(1);
    const made = found.kind === "type" ? found.params[0] : undefined;
    if (!made) return this.#error(node.at, `'${found.name}' is not a type`);
    const isMessage = made.kind === "struct" || this.#environment.struct(node.name) !== undefined;
    const type = isMessage ? made : this.#error(node.at, `'${made.name}' is not a message type`);
    for (const field of node.fields) {
      const declared = this.#structField(field.at, node.name, field.name);
      const value = this.check(field.value);
      const given = field.optional ? this.#unwrapped(field.value, value) : value;
      if (!this.#bindings.assign(declared, given))
        this.#report(
          field.at,
          `expected type of field '${field.name}' is '${formatType(declared)}' but provided type is '${formatType(given)}'`,
        );
    }
    return type;
  }

  #comprehension(node: Comprehension): Type {
    const range = this.#bindings.resolve(this.check(node.range), "keep");
    const accumulated = this.check(node.init);
    this.#scopes.push(new Map([[node.accumulator, accumulated]]));
    const [first, second] = this.#iterated(node, range);
    this.#scopes.push(
      new Map(
        node.variable2 === undefined
          ? [[node.variable, first]]
          : [
              [node.variable, first],
              [node.variable2, second],
            ],
      ),
    );
    this.#expect(node.condition, boolType, this.check(node.condition));
    this.#expect(node.step, accumulated, this.check(node.step));
    this.#scopes.pop();
    const result = this.check(node.result);
    this.#scopes.pop();
    return this.#bindings.resolve(result, "keep");
  }

  /** The types of the first and the second loop variable. */
  #iterated(node: Comprehension, range: Type): readonly [Type, Type] {
    switch (range.name === anyType.name ? "any" : range.kind) {
      case "list":
        return node.variable2 === undefined
          ? [range.params[0]!, dynType]
          : [intType, range.params[0]!];
      case "map":
        return [range.params[0]!, range.params[1]!];
      case "dyn":
      case "error":
      case "param":
        this.#bindings.assign(dynType, range);
        return [dynType, dynType];
      default:
        this.#report(
          node.range.at,
          `expression of type '${formatType(range)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
    }
  }

  #expect(node: Expr, wanted: Type, actual: Type): boolean {
    const fits = this.#bindings.assign(wanted, actual);
    if (!fits) this.#mismatch(node.at, wanted, actual);
    return fits;
  }

  #mismatch(at: number, wanted: Type, actual: Type): void {
    this.#report(at, `expected type '${formatType(wanted)}' but found '${formatType(actual)}'`);
  }

  #undeclared(at: number, name: string): Type {
    return this.#error(at, `undeclared reference to '${name}' (in container '')`);
  }

  #error(at: number, message: string): Type {
    this.#report(at, message);
    return errorType;
  }

  #report(at: number, message: string): void {
    this.issues.push({ at, message });
  }
}

/** `a.b.c` as a name, or undefined where the tree is anything else. */
export function qualifiedName(node: Expr): string | undefined {
  if (node.kind === "ident") return node.name;
  if (node.kind !== "select" || node.testOnly) return undefined;
  const operand = qualifiedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}
