// A rule as error messages about it show it: Go's struct in JSON, every field, set or not.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apis/apiextensions/types_jsonschema.go
// (ValidationRule).
import { encodeJson, type Json } from "homeostat/api";
import type { ValidationRule } from "../json-schema-props.ts";

/** E.g. `{"Rule":"self \u003e 1","Message":"",…,"OptionalOldSelf":null}`. */
export function printRule(rule: ValidationRule): string {
  const fields: readonly (readonly [string, Json])[] = [
    ["Rule", rule.rule ?? ""],
    ["Message", rule.message ?? ""],
    ["MessageExpression", rule.messageExpression ?? ""],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath ?? ""],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ];
  return `{${fields.map(([name, value]) => `"${name}":${encodeJson(value)}`).join(",")}}`;
}
