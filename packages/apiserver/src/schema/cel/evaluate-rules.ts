// Runs the rules of one node on one value, and reports violations as field errors or warnings.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (validateExpressions).
import type { Json } from "homeostat/api";
import {
  CelError,
  type CelValue,
  CostLimitError,
  none,
  Optional,
  perCallLimit,
  type Variables,
} from "@homeostat/cel";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { validFieldPath } from "../valid-field-path.ts";
import type { CompiledRule } from "./compile-rule.ts";
import { defaultMessage, evaluateMessage, ruleText } from "./rule-message.ts";
import type { Ratchet, RuleRun, RuleSubject } from "./rule-run.ts";
import type { Adapt } from "./schema-values.ts";

/** The rules of one node. */
export interface NodeRules {
  readonly schema: JsonSchemaProps;
  readonly type: string;
  readonly adapt: Adapt;
  readonly rules: readonly CompiledRule[];
  /** Why none of the rules can run. */
  readonly error: string | undefined;
}

const outOfBudget =
  "validation failed due to running out of cost budget, no further validation rules will be run";

/** Upstream prints `<nil>` for the path of a whole object. */
const shownPath = (path: string): string => path || "<nil>";

/** Runs the rules of a node. */
export function evaluateNode(node: NodeRules, subject: RuleSubject, run: RuleRun): void {
  if (node.error !== undefined) {
    const detail = `rule compiler initialization error: ${node.error}`;
    run.errors.push(errorOf(node, subject, detail));
    return;
  }
  if (run.budget <= 0) return run.stop(errorOf(node, subject, outOfBudget));
  const bound = bindVariables(node, subject);
  for (const compiled of node.rules) {
    evaluateRule(compiled, { node, subject, run, bound });
    if (run.isOver) return;
  }
}

/** An error of the rules themselves, not of the value. */
const errorOf = (node: NodeRules, { path }: RuleSubject, detail: string): FieldError =>
  fieldError.invalid(shownPath(path), node.type, detail);

interface Evaluation {
  readonly node: NodeRules;
  readonly subject: RuleSubject;
  readonly run: RuleRun;
  readonly bound: Bound;
}

function evaluateRule(compiled: CompiledRule, evaluation: Evaluation): void {
  const { node, subject, run, bound } = evaluation;
  const { rule, program, usesOldSelf } = compiled;
  const fail = (detail: string): FieldError => errorOf(node, subject, detail);
  if (compiled.error !== undefined) {
    run.errors.push(fail(`rule compile error: ${compiled.error}`));
    return;
  }
  const needsOld = usesOldSelf && rule.optionalOldSelf !== true;
  if (!program || (needsOld && subject.old === undefined)) return;
  if ("failure" in bound) return chargeFailure(bound.failure, rule, evaluation, 1);
  const variables = rule.optionalOldSelf === true ? bound.optional : bound.plain;
  const result = program.evaluate(variables, perCallLimit);
  if ("error" in result) return chargeFailure(result.error, rule, evaluation, result.cost);
  if (result.cost > run.budget) return run.stop(fail(outOfBudget));
  run.budget -= result.cost;
  if (result.value !== true) reportViolation(compiled, variables, evaluation);
}

/** Reports a rule that could not be evaluated. */
function chargeFailure(
  error: CelError,
  rule: ValidationRule,
  { node, subject, run }: Evaluation,
  cost: number,
): void {
  if (cost > run.budget) return run.stop(errorOf(node, subject, outOfBudget));
  run.budget -= cost;
  if (!(error instanceof CostLimitError)) {
    run.errors.push(errorOf(node, subject, failureDetail(error, rule)));
    return;
  }
  const detail = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
  run.stop(errorOf(node, subject, detail));
}

type Bound =
  | { readonly plain: Variables; readonly optional: Variables }
  | { readonly failure: CelError };

function bindVariables(node: NodeRules, { value, old }: RuleSubject): Bound {
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

/** In unchanged parts, violations of rules that do not use oldSelf are warnings. */
function reportViolation(
  compiled: CompiledRule,
  variables: Variables,
  { node, subject, run }: Evaluation,
): void {
  const { rule, usesOldSelf } = compiled;
  const field = fieldOf(rule, node, subject.path);
  const add = (error: FieldError): void => {
    if (!usesOldSelf && isUnchanged(subject.ratchet))
      run.warnings.push(`${error.field}: ${error.body}`);
    else run.errors.push(error);
  };
  const message = evaluateMessage(compiled, variables, run.budget);
  if (message.stop !== undefined) {
    add(fieldError.invalid(field, node.type, message.stop));
    run.budget = -1;
    return;
  }
  run.budget -= message.cost;
  const isComposite = node.type === "object" || node.type === "array";
  const value = isComposite ? undefined : subject.value;
  add(violation(rule, field, value, message.text ?? defaultMessage(rule)));
}

function fieldOf(rule: ValidationRule, node: NodeRules, path: string): string {
  const found = rule.fieldPath ? validFieldPath(rule.fieldPath, node.schema) : undefined;
  if (!found || "fault" in found) return shownPath(path);
  return path ? `${path}.${found.path}` : found.path;
}

const isUnchanged = ({ current, parent }: Ratchet): boolean =>
  (current ?? parent)?.unchanged() ?? false;

/** The error by the rule's reason. Without `value`, the error shows none. */
function violation(
  rule: ValidationRule,
  field: string,
  value: Json | undefined,
  detail: string,
): FieldError {
  switch (rule.reason) {
    case "FieldValueForbidden":
      return fieldError.forbidden(field, detail);
    case "FieldValueRequired":
      return fieldError.required(field, detail);
    case "FieldValueDuplicate":
      return value === undefined
        ? { type: "FieldValueDuplicate", field, body: "Duplicate value" }
        : fieldError.duplicate(field, value);
    default:
      return value === undefined
        ? { type: "FieldValueInvalid", field, body: `Invalid value: ${detail}` }
        : fieldError.invalid(field, value, detail);
  }
}
