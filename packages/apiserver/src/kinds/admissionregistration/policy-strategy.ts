// The strategy that admission policies and their bindings share: a generation that follows the
// spec, and validation of the whole object on every write.
// Upstream:
// k8s.io/kubernetes/pkg/registry/admissionregistration/{validating,mutating}admissionpolicy{,binding}/strategy.go.
import type { Decoded } from "homeostat/api";
import type {
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
} from "homeostat/k8s/admissionregistration/v1";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { generationStrategy } from "../definition/default-strategy.ts";
import type { StrategyOverrides } from "../definition/kind-definition.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";

type PolicyObject =
  | Decoded<MutatingAdmissionPolicy>
  | Decoded<MutatingAdmissionPolicyBinding>
  | Decoded<ValidatingAdmissionPolicy>
  | Decoded<ValidatingAdmissionPolicyBinding>;

/** `validate` sees the stored object on updates: expressions in it may stay as they are. */
export function policyStrategy<T extends PolicyObject>(
  validate: (object: T, old: T | undefined) => readonly FieldError[],
): StrategyOverrides<T> {
  return {
    allowUnconditionalUpdate: false,
    ...generationStrategy("spec"),
    validateCreate: (object) => validate(object, undefined),
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsDnsSubdomain),
      ...validate(object, old),
    ],
  };
}
