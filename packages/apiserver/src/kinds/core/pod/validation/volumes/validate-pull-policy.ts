// Validation of the pull policy of containers and of image volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validatePullPolicy).
import type { FieldError } from "../../../../../apimachinery/errors/field-error.ts";
import { enumErrors } from "../../../../validation/field-rules.ts";

const policies = ["Always", "IfNotPresent", "Never"];

/** Validates one policy. */
export function pullPolicyErrors(policy: string, path: string): FieldError[] {
  return enumErrors(policy, policies, path);
}
