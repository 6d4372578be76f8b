// Priority classes: names for the priorities of pods. The server creates the system's own at its
// start, and they cannot be deleted.
// Upstream: k8s.io/kubernetes/pkg/registry/scheduling/{priorityclass,rest},
// pkg/apis/scheduling/{v1,validation}.
import type { Decoded, Json } from "homeostat/api";
import type { PriorityClass } from "homeostat/k8s/scheduling/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, immutable } from "../validation/validate-object.ts";

const systemPrefix = "system-";
const highestUserDefined = 1_000_000_000;
const critical = 2_000_000_000;
const policies = ["PreemptLowerPriority", "Never"];

/** The classes of the system. */
export const systemPriorityClasses: readonly {
  readonly name: string;
  readonly value: number;
  readonly description: string;
}[] = [
  {
    name: "system-node-critical",
    value: critical + 1000,
    description: "Used for system critical pods that must not be moved from their current node.",
  },
  {
    name: "system-cluster-critical",
    value: critical,
    description:
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  },
];

export const priorityClass: KindDefinition<Decoded<PriorityClass>> = {
  ...gvk("scheduling.k8s.io/v1", "PriorityClass"),
  defaults: (object) => void (object.preemptionPolicy ??= "PreemptLowerPriority"),
  strategy: {
    prepareForCreate: (object) => void (metadataOf(object).generation = 1),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...valueErrors(object),
      ...policyErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...errorIf((object.value ?? 0) !== (old.value ?? 0), () =>
        fieldError.forbidden("value", "may not be changed in an update."),
      ),
      ...immutable("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy),
    ],
  },
  cells: (object, ages): readonly Json[] => [
    nameOf(object),
    object.value ?? 0,
    object.globalDefault === true,
    ageOf(object, ages),
    object.preemptionPolicy ?? "",
  ],
};

function valueErrors(object: Decoded<PriorityClass>): FieldError[] {
  const name = nameOf(object);
  const value = object.value ?? 0;
  if (!name.startsWith(systemPrefix))
    return errorIf(value > highestUserDefined, () =>
      fieldError.forbidden(
        "value",
        `maximum allowed value of a user defined priority is ${highestUserDefined}`,
      ),
    );
  const fault = systemFault(object);
  return errorIf(fault, () =>
    fieldError.forbidden(
      "metadata.name",
      `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${fault}`,
    ),
  );
}

function systemFault(object: Decoded<PriorityClass>): string | undefined {
  const name = nameOf(object);
  const known = systemPriorityClasses.find((each) => each.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (known.value !== (object.value ?? 0))
    return `value of ${name} PriorityClass must be ${known.value}`;
  return object.globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function policyErrors(object: Decoded<PriorityClass>): FieldError[] {
  const policy = object.preemptionPolicy ?? "";
  if (!policy) return [fieldError.required("preemptionPolicy", "")];
  return errorIf(!policies.includes(policy), () =>
    fieldError.notSupported("preemptionPolicy", policy, policies),
  );
}
