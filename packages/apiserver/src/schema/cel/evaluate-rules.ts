// Runs the rules of one node over one value and puts what they find into field errors or warnings.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (validateExpressions, evalMessageExpression).
import type { Json } from "homeostat/api";
import {
  CelError,
  type CelValue,
  CostLimitError,
  none,
  Optional,
  perCallLimit,
  type Program,
  type Variables,
} from "@homeostat/cel";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import type { Correlation } from "../validation/correlated-object.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { resolveFieldPath } from "./rule-field-path.ts";
import type { Adapt } from "./schema-values.ts";

/** The rules of one node. */
export interface NodeRules {
  readonly schema: JsonSchemaProps;
  readonly type: string;
  readonly adapt: Adapt;
  readonly rules: readonly CompiledRule[];
  /** Why none of them can run. */
  readonly error: string | undefined;
}

/** The pair of new and old value here, or of the nearest place above that has one. */
export interface Ratchet {
  readonly current: Correlation | undefined;
  readonly parent: Correlation | undefined;
}

/** Longest text that a messageExpression may give, in bytes. */
const maxMessageBytes = 5 * 1024;

/** One run: what was found, and the cost units left. */
export class RuleRun {
  readonly errors: FieldError[] = [];
  readonly warn: ((text: string) => void) | undefined;
  budget: number;

  constructor(budget: number, warn: ((text: string) => void) | undefined) {
    this.budget = budget;
    this.warn = warn;
  }

  get isOver(): boolean {
    return this.budget < 0;
  }

  /** Nothing more is run. */
  stop(error: FieldError): void {
    this.errors.push(error);
    this.budget = -1;
  }
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** The literal that upstream prints for the path of a whole object. */
const shownPath = (path: string): string => path || "<nil>";

/** Runs the rules of a node. `old` is undefined where nothing correlates. */
export function evaluateNode(
  node: NodeRules,
  value: Json,
  old: Json | undefined,
  path: string,
  ratchet: Ratchet,
  run: RuleRun,
): void {
  const complain = (detail: string): FieldError => invalid(shownPath(path), node.type, detail);
  if (node.error !== undefined)
    return void run.errors.push(complain(`rule compiler initialization error: ${node.error}`));
  if (run.budget <= 0) return run.stop(complain(outOfBudget));
  const bound = bindVariables(node, value, old);
  for (const compiled of node.rules) {
    const { rule } = compiled;
    if (compiled.error !== undefined) {
      run.errors.push(complain(`rule compile error: ${compiled.error}`));
      continue;
    }
    if (
      !compiled.program ||
      (compiled.usesOldSelf && old === undefined && rule.optionalOldSelf !== true)
    )
      continue;
    const variables = rule.optionalOldSelf === true ? bound.optional : bound.plain;
    const result =
      "failure" in bound
        ? { error: bound.failure, cost: 1 }
        : compiled.program.evaluate(variables!, perCallLimit);
    if (result.cost > run.budget) return run.stop(complain(outOfBudget));
    run.budget -= result.cost;
    if ("error" in result) {
      if (result.error instanceof CostLimitError)
        return run.stop(
          complain(
            `'${result.error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`,
          ),
        );
      run.errors.push(complain(failureDetail(result.error, rule)));
      continue;
    }
    if (result.value === true) continue;
    reportBreach(node, compiled, value, path, variables!, ratchet, run);
    if (run.isOver) return;
  }
}

type Bound =
  | { readonly plain: Variables; readonly optional: Variables }
  | { readonly failure: CelError; readonly plain?: Variables; readonly optional?: Variables };

function bindVariables(node: NodeRules, value: Json, old: Json | undefined): Bound {
  try {
    const self = node.adapt(value);
    const oldSelf: CelValue | undefined =
      old === undefined || old === null ? undefined : node.adapt(old);
    return {
      plain: { self, oldSelf },
      optional: { self, oldSelf: oldSelf === undefined ? none : new Optional(oldSelf) },
    };
  } catch (error) {
    if (error instanceof CelError) return { failure: error };
    throw error;
  }
}

function failureDetail(error: CelError, rule: ValidationRule): string {
  if (error.message.startsWith("no such overload"))
    return `'${error.message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
  return `${error.message} evaluating rule: ${ruleText(rule)}`;
}

const ruleText = (rule: ValidationRule): string => (rule.message ? rule.message : rule.rule).trim();

function reportBreach(
  node: NodeRules,
  compiled: CompiledRule,
  value: Json,
  path: string,
  variables: Variables,
  ratchet: Ratchet,
  run: RuleRun,
): void {
  const { rule } = compiled;
  const relative = rule.fieldPath ? resolveFieldPath(rule.fieldPath, node.schema) : undefined;
  const field = relative ? (path ? `${path}.${relative}` : relative) : shownPath(path);
  const add = (error: FieldError): void => {
    if (!compiled.usesOldSelf && isUnchanged(ratchet)) run.warn?.(`${error.field}: ${error.body}`);
    else run.errors.push(error);
  };
  const message = compiled.message
    ? evaluateMessage(compiled.message, rule.messageExpression ?? "", variables, run.budget)
    : undefined;
  if (message?.stop !== undefined) {
    add(invalid(field, node.type, message.stop));
    run.budget = -1;
    return;
  }
  run.budget -= message?.cost ?? 0;
  const detail =
    message?.text ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`);
  add(
    breach(
      rule,
      field,
      node.type === "object" || node.type === "array" ? undefined : value,
      detail,
    ),
  );
}

const isUnchanged = ({ current, parent }: Ratchet): boolean =>
  (current ?? parent)?.unchanged() ?? false;

interface Message {
  readonly cost: number;
  /** Undefined where the rule's own message serves. */
  readonly text?: string;
  /** Why nothing more may run. */
  readonly stop?: string;
}

function evaluateMessage(
  program: Program,
  source: string,
  variables: Variables,
  budget: number,
): Message {
  const result = program.evaluate(variables, perCallLimit);
  if (result.cost > budget)
    return {
      cost: result.cost,
      stop: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  if ("error" in result) {
    if (!(result.error instanceof CostLimitError)) return { cost: result.cost };
    return {
      cost: result.cost,
      stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(source)}`,
    };
  }
  const text = typeof result.value === "string" ? result.value.trim() : "";
  const usable = text !== "" && Buffer.byteLength(text) <= maxMessageBytes && !text.includes("\n");
  return usable ? { cost: result.cost, text } : { cost: result.cost };
}

/** Values of objects and lists are left out. */
function breach(
  rule: ValidationRule,
  field: string,
  value: Json | undefined,
  detail: string,
): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return forbidden(field, detail);
    case "FieldValueRequired":
      return required(field, detail);
    case "FieldValueDuplicate":
      return value === undefined
        ? { type: "FieldValueDuplicate", field, body: "Duplicate value" }
        : duplicate(field, value);
    default:
      return value === undefined
        ? { type: "FieldValueInvalid", field, body: `Invalid value: ${detail}` }
        : invalid(field, value, detail);
  }
}
