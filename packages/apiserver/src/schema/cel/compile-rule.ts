// Compiles the expressions of one schema node against its type.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/compilation.go.
import {
  type Compilation,
  compileExpression,
  type Environment,
  optionalType,
  type Program,
  type Type,
  withVariables,
} from "@homeostat/cel";
import type { ValidationRule } from "../json-schema-props.ts";
import { celTypeOf, type DeclType } from "./decl-type.ts";
import { reservedWords } from "./escape-name.ts";

/** A compiled rule. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly usesOldSelf: boolean;
  /** Absent when the rule is empty or does not compile. */
  readonly program?: Program;
  /** Why there is no program. */
  readonly error?: string;
  readonly message?: Program;
  readonly messageError?: string;
}

/** An arbitrary name that expressions cannot refer to. */
const selfTypeName = "selfType0";

/** The environments of one node: with `oldSelf` plain or optional. */
export interface RuleEnvironments {
  readonly plain: Environment;
  readonly optional: Environment;
}

/** The environments for rules on a node of this declaration. */
export function ruleEnvironments(base: Environment, declared: DeclType): RuleEnvironments {
  const { struct, declare } = declareStructs();
  const self = declare(declared, selfTypeName);
  const environment = (oldSelf: Type): Environment =>
    withVariables(
      base,
      new Map([
        ["self", self],
        ["oldSelf", oldSelf],
      ]),
      struct,
    );
  return { plain: environment(self), optional: environment(optionalType(self)) };
}

/** Object types, declared by where they are used. */
export interface DeclaredStructs {
  readonly struct: Environment["struct"];
  /** The type of a declaration; `name` is that of the type if it is an object. */
  declare(declared: DeclType, name: string): Type;
}

/** No types yet. */
export function declareStructs(): DeclaredStructs {
  const structs = new Map<string, DeclType>();
  const register = (name: string, struct: DeclType): void => void structs.set(name, struct);
  return {
    declare: (declared, name) => celTypeOf(declared, name, register),
    struct(name) {
      const found = structs.get(name);
      return found && { name, field: (field) => fieldType(found, name, field, register) };
    },
  };
}

/** Fields named by reserved words are accessible without escaping too: `self.for`. */
function fieldType(
  struct: DeclType,
  name: string,
  field: string,
  register: (name: string, declared: DeclType) => void,
): Type | undefined {
  const declared =
    struct.fields.get(field) ??
    (reservedWords.has(field) ? struct.fields.get(`__${field}__`) : undefined);
  return declared && celTypeOf(declared, `${name}.${field}`, register);
}

/** Compiles one rule with its messageExpression. */
export function compileRule(rule: ValidationRule, environments: RuleEnvironments): CompiledRule {
  const text = rule.rule ?? "";
  if (text.trim() === "") return { rule, usesOldSelf: false };
  const environment = rule.optionalOldSelf === true ? environments.optional : environments.plain;
  const compiled = compileTyped(text, environment, "bool", {
    issues: "compilation failed: ",
    type: "cel expression must evaluate to a bool",
    failure: "program instantiation failed: ",
  });
  if ("error" in compiled)
    return { rule, usesOldSelf: compiled.usesOldSelf, error: compiled.error };
  const usesOldSelf = compiled.program.references.has("oldSelf");
  if (!rule.messageExpression) return { rule, usesOldSelf, program: compiled.program };
  const message = compileTyped(rule.messageExpression, environment, "string", {
    issues: "messageExpression compilation failed: ",
    type: "messageExpression must evaluate to a string",
    failure: "messageExpression instantiation failed: ",
  });
  return {
    rule,
    usesOldSelf,
    program: compiled.program,
    ...("error" in message ? { messageError: message.error } : { message: message.program }),
  };
}

interface Complaints {
  readonly issues: string;
  readonly type: string;
  readonly failure: string;
}

function compileTyped(
  text: string,
  environment: Environment,
  kind: Type["kind"],
  complaints: Complaints,
): { readonly program: Program } | { readonly error: string; readonly usesOldSelf: boolean } {
  const compiled: Compilation = compileExpression(text, environment);
  if ("issues" in compiled)
    return { error: complaints.issues + compiled.issues, usesOldSelf: false };
  const type = "program" in compiled ? compiled.program.type : compiled.type;
  if (type.kind !== kind || type.nullable) return { error: complaints.type, usesOldSelf: false };
  if ("failure" in compiled)
    return {
      error: complaints.failure + compiled.failure,
      usesOldSelf: compiled.references.has("oldSelf"),
    };
  return compiled;
}
