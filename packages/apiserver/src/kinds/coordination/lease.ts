// Leases: created by PUT as well, never updated without a resourceVersion.
// Upstream: k8s.io/kubernetes/pkg/registry/coordination/lease/strategy.go,
// pkg/apis/coordination/validation.
import type { Json, JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

/** Fields of coordinated leader election, whose feature gate is off. */
const gated = ["strategy", "preferredHolder"] as const;

export const lease: KindDefinition = {
  group: "coordination.k8s.io",
  version: "v1",
  kind: "Lease",
  strategy: {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) => dropGated(object, {}),
    prepareForUpdate: dropGated,
    validateCreate: validate,
    validateUpdate: validate,
  },
  cells: (object, nowMs) => [
    nameOf(object),
    stringAt(objectAt(object, "spec"), "holderIdentity"),
    ageOf(object, nowMs),
  ],
};

function dropGated(object: JsonObject, old: JsonObject): void {
  const spec = objectAt(object, "spec");
  for (const field of gated) if (objectAt(old, "spec")[field] === undefined) delete spec[field];
}

function validate(object: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const below = (field: string, min: number, text: string): FieldError[] =>
    isBelow(spec[field], min) ? [invalid(`spec.${field}`, spec[field], text)] : [];
  return [
    ...below("leaseDurationSeconds", 1, "must be greater than 0"),
    ...below("leaseTransitions", 0, "must be greater than or equal to 0"),
  ];
}

const isBelow = (value: Json | undefined, min: number): boolean =>
  typeof value === "number" && value < min;
