// Validates the rules of a definition without compiling them: required fields, single lines, known
// reasons, existing paths.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apis/apiextensions/validation/validation.go.
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { JsonSchemaProps, ValidationRule } from "../json-schema-props.ts";
import { validFieldPath } from "../valid-field-path.ts";

const reasons: readonly string[] = [
  "FieldValueDuplicate",
  "FieldValueForbidden",
  "FieldValueInvalid",
  "FieldValueRequired",
];
const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);

/** Which paths a rule may name as that of its error. */
export interface RulePaths {
  readonly paths: "existing" | "any";
}

/** Errors in the rules of one node; `path` is the path of the node. */
export function checkRuleFields(
  schema: JsonSchemaProps,
  path: string,
  { paths }: RulePaths = { paths: "existing" },
): FieldError[] {
  const known = paths === "any" ? undefined : schema;
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, i) =>
    checkRule(rule, known, `${path}.x-kubernetes-validations[${i}]`),
  );
}

/** `schema` has the paths that rules may name; without it they may name any. */
function checkRule(
  rule: ValidationRule,
  schema: JsonSchemaProps | undefined,
  path: string,
): FieldError[] {
  const errors = checkTexts(rule, path);
  const { messageExpression = "", reason, fieldPath = "" } = rule;
  if (messageExpression !== "" && messageExpression.trim() === "")
    errors.push(
      fieldError.required(
        `${path}.messageExpression`,
        "messageExpression must be non-empty if specified",
      ),
    );
  if (reason !== undefined && reason !== null && !reasons.includes(reason))
    errors.push(fieldError.notSupported(`${path}.reason`, reason, reasons));
  if (fieldPath !== "" && fieldPath.trim() === "")
    errors.push(
      fieldError.invalid(`${path}.fieldPath`, fieldPath, "must be non-empty if specified"),
    );
  if (hasLineBreak(fieldPath))
    errors.push(fieldError.invalid(`${path}.fieldPath`, fieldPath, "must not contain line breaks"));
  if (fieldPath !== "" && schema && "fault" in validFieldPath(fieldPath, schema))
    errors.push(fieldError.invalid(`${path}.fieldPath`, fieldPath, "must be a valid path"));
  return errors;
}

/** The first error of rule and message. */
function checkTexts(rule: ValidationRule, path: string): FieldError[] {
  const text = (rule.rule ?? "").trim();
  const message = rule.message ?? "";
  if (text === "") return [fieldError.required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && message.trim() === "")
    return [fieldError.invalid(`${path}.message`, message, "must be non-empty if specified")];
  if (hasLineBreak(message.trim()))
    return [fieldError.invalid(`${path}.message`, message, "must not contain line breaks")];
  if (hasLineBreak(text) && message.trim() === "")
    return [
      fieldError.required(
        `${path}.message`,
        "message must be specified if rule contains line breaks",
      ),
    ];
  return [];
}
