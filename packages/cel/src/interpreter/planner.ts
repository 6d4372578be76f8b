// Turns a checked tree into closures. Constants are computed here. Costs are counted where upstream
// observes a step, so that limits strike at the same step.
// Upstream: github.com/google/cel-go v0.26 interpreter/planner.go, interpretable.go, decorators.go.
import type * as ast from "../ast/ast.ts";
import type { ByKind, Expr } from "../ast/ast.ts";
import type { Frame } from "./frame.ts";
import { constantPlan, type Evaluate, type Plan, type Scope } from "./plan.ts";
import { planComprehension } from "./planner-comprehension.ts";
import { planFunction } from "./planner-function.ts";
import { planAnd, planConditional, planOr } from "./planner-logic.ts";
import { findMember, indexValue } from "./member-access.ts";
import { listCost, mapCost, structCost } from "../cost/price.ts";
import type { Type } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import { ValueList } from "../values/list.ts";
import { ValueMap } from "../values/map.ts";
import { none, Optional } from "../values/optional.ts";
import { TypeValue } from "../values/type-value.ts";
import { type CelValue, showValue } from "../values/value.ts";

const planners: ByKind<[Scope], Plan> = {
  literal: (node) => constantPlan(node.value),
  ident: planIdent,
  select: planSelect,
  call: planCall,
  list: planList,
  map: planMap,
  struct: planStruct,
  comprehension: planComprehension,
};

/**
 * Plans a node and its children. Throws a CelError for what fails with any variables.
 */
export function planNode(node: Expr, scope: Scope): Plan {
  return (planners[node.kind] as (node: Expr, scope: Scope) => Plan)(node, scope);
}

function planIdent(node: ast.Ident, scope: Scope): Plan {
  const slot = scope.slots.get(node.name);
  if (slot !== undefined) {
    const evaluate: Evaluate = (frame) => {
      frame.spend(1);
      const value = frame.locals[slot]!;
      if (value instanceof CelError) throw value;
      return value;
    };
    return { evaluate, path: "variable" };
  }
  return planName(node.name, node.type!, scope);
}

/** A variable, constant or type of the environment. */
function planName(name: string, type: Type, scope: Scope): Plan {
  const variable = planVariable(name, scope);
  if (variable) return variable;
  const { constants, types, struct } = scope.environment;
  const constant = constants.get(name);
  if (constant !== undefined) return constantPlan(constant);
  if (!types.has(name) && struct(name)?.literalType)
    throw new CelError(`reference to undefined type: ${name}`);
  return constantPlan(new TypeValue(type.params[0]!));
}

/** A variable of the environment; undefined for any other name. */
function planVariable(name: string, scope: Scope): Plan | undefined {
  if (!scope.environment.variables.has(name)) return undefined;
  scope.references.add(name);
  const evaluate: Evaluate = (frame) => {
    frame.spend(1);
    const value = frame.variables[name];
    if (value === undefined) throw new CelError(`no such attribute(s): ${name}`);
    return value;
  };
  return { evaluate, path: "variable" };
}

function planSelect(node: ast.Select, scope: Scope): Plan {
  if (node.ident !== undefined) return planName(node.ident, node.type!, scope);
  const operand = planNode(node.operand, scope);
  const { evaluate } = operand;
  const { field } = node;
  if (node.testOnly) {
    // The test itself is free: one unit less than reading the same path.
    const firstStep = operand.path ? -1 : 0;
    return {
      evaluate: (frame) => {
        frame.spend(firstStep);
        const target = evaluate(frame);
        const held = target instanceof Optional ? target.held : target;
        const isFound = held !== undefined && findMember(held, field) !== undefined;
        // A step that finds nothing in an optional is free.
        if (isFound || held === target) frame.spend(1);
        return isFound;
      },
    };
  }
  const firstStep = operand.path ? 0 : 1;
  return {
    path: "variable",
    evaluate: (frame) => {
      frame.spend(firstStep);
      const target = evaluate(frame);
      frame.spend(1);
      if (target instanceof Optional) return optionally(frame, target, field);
      const found = findMember(target, field);
      if (found === undefined) throw new CelError(`no such key: ${field}`);
      return found;
    },
  };
}

/** Members of an optional are optional. */
function optionally(frame: Frame, target: Optional, key: CelValue): Optional {
  return toOptional(frame, target.held === undefined ? undefined : findMember(target.held, key));
}

/** A step that finds nothing is free. */
function toOptional(frame: Frame, found: CelValue | undefined): Optional {
  if (found !== undefined) return new Optional(found);
  frame.cost -= 1;
  return none;
}

function planCall(node: ast.Call, scope: Scope): Plan {
  const args = (node.target ? [node.target, ...node.args] : node.args).map((arg) =>
    planNode(arg, scope),
  );
  switch (node.function) {
    case "_&&_":
      return planAnd(args[0]!, args[1]!);
    case "_||_":
      return planOr(args[0]!, args[1]!);
    case "_?_:_":
      return planConditional(args[0]!, args[1]!, args[2]!);
    case "_[_]":
      return planIndex(args[0]!, args[1]!, "plain");
    case "_[?_]":
    case "_?._":
      return planIndex(args[0]!, args[1]!, "optional");
    case "@not_strictly_false":
      return planNotStrictlyFalse(args[0]!);
    case "or":
    case "orValue":
      if (node.overloads?.some((overload) => overload.id.startsWith("optional_or")))
        return planOrValue(args[0]!, args[1]!, node.function);
      return planFunction(node, args, scope);
    default:
      return planFunction(node, args, scope);
  }
}

function planIndex(operand: Plan, index: Plan, style: "plain" | "optional"): Plan {
  const { evaluate } = operand;
  const key = index.evaluate;
  if (index.constant === null || index.constant instanceof Uint8Array)
    throw new CelError(
      `invalid qualifier type: types.${index.constant === null ? "Null" : "Bytes"}`,
    );
  // An index that is itself a path is resolved as part of this one: its own first step is not
  // counted.
  const firstStep = operand.path ? 0 : 1;
  const step = index.path === "variable" ? 0 : 1;
  return {
    path: "variable",
    evaluate: (frame) => {
      frame.spend(firstStep);
      const target = evaluate(frame);
      frame.spend(step);
      const keyValue = key(frame);
      if (target instanceof Optional) return optionally(frame, target, keyValue);
      return style === "plain"
        ? indexValue(target, keyValue)
        : toOptional(frame, findMember(target, keyValue));
    },
  };
}

function planNotStrictlyFalse(operand: Plan): Plan {
  const { evaluate } = operand;
  return {
    evaluate: (frame) => {
      frame.spend(1);
      try {
        return evaluate(frame) !== false;
      } catch (error) {
        if (error instanceof CelError) return true;
        throw error;
      }
    },
  };
}

function planOrValue(left: Plan, right: Plan, name: "or" | "orValue"): Plan {
  return {
    evaluate: (frame) => {
      const optional = left.evaluate(frame);
      if (!(optional instanceof Optional)) return optional;
      if (optional.held === undefined) return right.evaluate(frame);
      return name === "or" ? optional : optional.held;
    },
  };
}

function planList(node: ast.ListExpr, scope: Scope): Plan {
  const elements = node.elements.map((element) => planNode(element, scope));
  const build = (frame: Frame): CelValue => {
    const items: CelValue[] = [];
    for (const [i, element] of elements.entries()) {
      const value = element.evaluate(frame);
      if (!node.optional.has(i)) items.push(value);
      else if (!(value instanceof Optional))
        throw new CelError(
          `cannot initialize optional list element from non-optional value ${showValue(value)}`,
        );
      else if (value.held !== undefined) items.push(value.held);
    }
    return new ValueList(items);
  };
  if (elements.every((element) => element.constant !== undefined))
    return constantPlan(build(noFrame));
  return { evaluate: (frame) => (frame.spend(listCost), build(frame)) };
}

/** Constant plans do not read their frame. */
const noFrame = undefined as unknown as Frame;

function planMap(node: ast.MapExpr, scope: Scope): Plan {
  const entries = node.entries.map((entry) => ({
    key: planNode(entry.key, scope),
    value: planNode(entry.value, scope),
    optional: entry.optional,
  }));
  const build = (frame: Frame): CelValue => {
    const pairs: [CelValue, CelValue][] = [];
    for (const entry of entries) {
      const key = entry.key.evaluate(frame);
      const value = entry.value.evaluate(frame);
      if (!entry.optional) pairs.push([key, value]);
      else if (!(value instanceof Optional))
        throw new CelError(
          `cannot initialize optional entry '${showValue(key)}' from non-optional value ${showValue(value)}`,
        );
      else if (value.held !== undefined) pairs.push([key, value.held]);
    }
    return new ValueMap(pairs);
  };
  if (
    entries.every((entry) => entry.key.constant !== undefined && entry.value.constant !== undefined)
  )
    return constantPlan(build(noFrame));
  return { evaluate: (frame) => (frame.spend(mapCost), build(frame)) };
}

function planStruct(node: ast.StructExpr, scope: Scope): Plan {
  const create = scope.environment.struct(node.name)?.create;
  if (!create) throw new CelError(`unknown type: ${node.name}`);
  const fields = node.fields.map((field) => ({
    name: field.name,
    value: planNode(field.value, scope),
    optional: field.optional,
  }));
  return {
    evaluate: (frame) => {
      frame.spend(structCost);
      const values = new Map<string, CelValue>();
      for (const field of fields) {
        const value = field.value.evaluate(frame);
        if (!field.optional) values.set(field.name, value);
        else if (!(value instanceof Optional))
          throw new CelError(
            `cannot initialize optional entry '${field.name}' from non-optional value ${showValue(value)}`,
          );
        else if (value.held !== undefined) values.set(field.name, value.held);
      }
      return create(values);
    },
  };
}
