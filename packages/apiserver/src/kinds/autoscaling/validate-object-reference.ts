// A CrossVersionObjectReference.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/validation/validation.go
// (ValidateCrossVersionObjectReference).
import { type Decoded, parseApiVersion, pathSegmentFaults } from "homeostat/api";
import type { CrossVersionObjectReference } from "homeostat/k8s/autoscaling/v2";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { ruled } from "../validation/field-rules.ts";

/** Which API versions a reference may have. */
type ApiVersionRule = "any" | "valid" | "with a group";

/** Validates a CrossVersionObjectReference. */
export function validateObjectReference(
  { apiVersion = "", kind, name }: Decoded<CrossVersionObjectReference>,
  rule: ApiVersionRule,
  path: string,
): FieldError[] {
  const fault = apiVersionFault(apiVersion ?? "", rule);
  return [
    ...(kind
      ? ruled(pathSegmentFaults, kind, `${path}.kind`)
      : [fieldError.required(`${path}.kind`, "")]),
    ...(name
      ? ruled(pathSegmentFaults, name, `${path}.name`)
      : [fieldError.required(`${path}.name`, "")]),
    ...(fault === undefined
      ? []
      : [fieldError.invalid(`${path}.apiVersion`, apiVersion ?? "", fault)]),
  ];
}

function apiVersionFault(apiVersion: string, rule: ApiVersionRule): string | undefined {
  if (rule === "any") return undefined;
  const parsed = parseApiVersion(apiVersion);
  if (!parsed) return `unexpected GroupVersion string: ${apiVersion}`;
  return rule === "with a group" && !parsed.group ? "apiVersion must specify API group" : undefined;
}
