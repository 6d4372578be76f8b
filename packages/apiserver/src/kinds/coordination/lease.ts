// Leases. A PUT may create one; an update needs a resourceVersion.
// Upstream: k8s.io/kubernetes/pkg/registry/coordination/lease/strategy.go,
// pkg/apis/coordination/validation.
import type { Decoded } from "homeostat/api";
import type { Lease } from "homeostat/k8s/coordination/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";

/** Fields of coordinated leader election, whose feature gate is off. */
const gated = ["strategy", "preferredHolder"] as const;

export const lease: KindDefinition<Decoded<Lease>> = {
  ...gvk("coordination.k8s.io/v1", "Lease"),
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => dropGated(object, {}),
    prepareForUpdate: dropGated,
    validateCreate: validate,
    validateUpdate: validate,
  },
  cells: (object, ages) => [nameOf(object), object.spec?.holderIdentity ?? "", ageOf(object, ages)],
};

function dropGated(object: Decoded<Lease>, old: Decoded<Lease>): void {
  const spec = object.spec ?? {};
  for (const field of gated) if (old.spec?.[field] === undefined) delete spec[field];
}

function validate({ spec }: Decoded<Lease>): FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions } = spec ?? {};
  return [
    ...errorIf(isSet(duration) && duration < 1, () =>
      fieldError.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0"),
    ),
    ...errorIf(isSet(transitions) && transitions < 0, () =>
      fieldError.invalid(
        "spec.leaseTransitions",
        transitions,
        "must be greater than or equal to 0",
      ),
    ),
  ];
}
