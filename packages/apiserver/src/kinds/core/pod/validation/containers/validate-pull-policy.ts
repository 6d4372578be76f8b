// Validation of the pull policy of containers and of image volumes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validatePullPolicy).
import {
  type FieldError,
  notSupported,
  required,
} from "../../../../../apimachinery/errors/field-error.ts";

const policies = ["Always", "IfNotPresent", "Never"];

/** Validates one policy. */
export function pullPolicyErrors(policy: string, path: string): FieldError[] {
  if (!policy) return [required(path, "")];
  return policies.includes(policy) ? [] : [notSupported(path, policy, policies)];
}
