// Priority classes: names for the priorities of pods. Those of the system exist from the start and
// stay.
// Upstream: k8s.io/kubernetes/pkg/registry/scheduling/{priorityclass,rest},
// pkg/apis/scheduling/{v1,validation}.
import type { Json, JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { numberAt, setIfNil, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, immutable } from "../definition/default-strategy.ts";

const systemPrefix = "system-";
const highestOwn = 1_000_000_000;
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

export const priorityClass: KindDefinition = {
  group: "scheduling.k8s.io",
  version: "v1",
  kind: "PriorityClass",
  defaults: (object) => setIfNil(object, "preemptionPolicy", "PreemptLowerPriority"),
  strategy: {
    prepareForCreate: (object) => void (metadataOf(object)["generation"] = 1),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...valueErrors(object),
      ...policyErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...(numberAt(object, "value") === numberAt(old, "value")
        ? []
        : [forbidden("value", "may not be changed in an update.")]),
      ...immutable("preemptionPolicy", object["preemptionPolicy"], old["preemptionPolicy"]),
    ],
  },
  cells: (object, nowMs): readonly Json[] => [
    nameOf(object),
    numberAt(object, "value"),
    object["globalDefault"] === true,
    ageOf(object, nowMs),
    stringAt(object, "preemptionPolicy"),
  ],
};

function valueErrors(object: JsonObject): FieldError[] {
  const name = nameOf(object);
  const value = numberAt(object, "value");
  if (!name.startsWith(systemPrefix))
    return value > highestOwn
      ? [forbidden("value", `maximum allowed value of a user defined priority is ${highestOwn}`)]
      : [];
  const fault = systemFault(name, value, object["globalDefault"] === true);
  return fault
    ? [
        forbidden(
          "metadata.name",
          `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${fault}`,
        ),
      ]
    : [];
}

function systemFault(name: string, value: number, globalDefault: boolean): string | undefined {
  const known = systemPriorityClasses.find((each) => each.name === name);
  if (!known) return `${name} is not a known system priority class`;
  if (known.value !== value) return `value of ${name} PriorityClass must be ${known.value}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function policyErrors(object: JsonObject): FieldError[] {
  const policy = stringAt(object, "preemptionPolicy");
  if (!policy) return [required("preemptionPolicy", "")];
  return policies.includes(policy) ? [] : [notSupported("preemptionPolicy", policy, policies)];
}
