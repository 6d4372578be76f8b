// CSI drivers: what a storage driver can do and wants.
// Upstream: k8s.io/kubernetes/pkg/registry/storage/csidriver/strategy.go,
// pkg/apis/storage/{v1/defaults.go,validation}.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
} from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  setIfNil,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { bumpGeneration, finalizerErrors, immutable } from "../definition/default-strategy.ts";

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const secretsWarning =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

export const csiDriver: KindDefinition = {
  group: "storage.k8s.io",
  version: "v1",
  kind: "CSIDriver",
  returnsDeletedObject: true,
  defaults(object) {
    if (!isObject(object["spec"])) object["spec"] = {};
    const spec = objectAt(object, "spec");
    setIfNil(spec, "attachRequired", true);
    for (const field of ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"])
      setIfNil(spec, field, false);
    setIfNil(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if (!hasItems(spec["volumeLifecycleModes"])) spec["volumeLifecycleModes"] = ["Persistent"];
  },
  strategy: {
    allowUnconditionalUpdate: false,
    prepareForCreate: (object) =>
      void delete objectAt(object, "spec")["preventPodSchedulingIfMissing"],
    prepareForUpdate(object, old) {
      if (!isSet(objectAt(old, "spec")["preventPodSchedulingIfMissing"]))
        delete objectAt(object, "spec")["preventPodSchedulingIfMissing"];
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate: (object, context) =>
      warned(object, undefined, context, [
        ...finalizerErrors(object),
        ...validateSpec(objectAt(object, "spec")),
      ]),
    validateUpdate(object, old, context) {
      const [spec, before] = [objectAt(object, "spec"), objectAt(old, "spec")];
      return warned(object, old, context, [
        ...finalizerErrors(object),
        ...validateSpec(spec),
        // Upstream's path has another name than the field.
        ...immutable("spec.attachedRequired", spec["attachRequired"], before["attachRequired"]),
        ...immutable(
          "spec.volumeLifecycleModes",
          spec["volumeLifecycleModes"],
          before["volumeLifecycleModes"],
        ),
      ]);
    },
  },
  cells,
};

function validateSpec(spec: JsonObject): FieldError[] {
  const policy = stringAt(spec, "fsGroupPolicy");
  const period = spec["nodeAllocatableUpdatePeriodSeconds"];
  const inSecrets = spec["serviceAccountTokenInSecrets"];
  return [
    ...(groupPolicies.includes(policy)
      ? []
      : [notSupported("spec.fsGroupPolicy", policy, groupPolicies)]),
    ...tokenErrors(itemsAt(spec, "tokenRequests")),
    ...textsAt(spec, "volumeLifecycleModes").flatMap((mode) =>
      lifecycleModes.includes(mode)
        ? []
        : [notSupported("spec.volumeLifecycleModes", mode, lifecycleModes)],
    ),
    ...(isSet(period) && Number(period) < 10
      ? [
          invalid(
            "spec.nodeAllocatableUpdatePeriodSeconds",
            period,
            "must be greater than or equal to 10 seconds",
          ),
        ]
      : []),
    ...(isSet(inSecrets) && !hasItems(spec["tokenRequests"])
      ? [
          invalid(
            "spec.serviceAccountTokenInSecrets",
            inSecrets,
            "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
          ),
        ]
      : []),
  ];
}

function tokenErrors(requests: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return requests.flatMap((request, i) => {
    const path = `spec.tokenRequests[${i}]`;
    const audience = stringAt(request, "audience");
    if (seen.has(audience)) return [duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const seconds = request["expirationSeconds"];
    if (!isSet(seconds)) return [];
    if (Number(seconds) < 600)
      return [
        invalid(
          `${path}.expirationSeconds`,
          seconds,
          "may not specify a duration less than 10 minutes",
        ),
      ];
    return Number(seconds) > 2 ** 32
      ? [
          invalid(
            `${path}.expirationSeconds`,
            seconds,
            "may not specify a duration larger than 2^32 seconds",
          ),
        ]
      : [];
  });
}

function warned(
  object: JsonObject,
  old: JsonObject | undefined,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  const spec = objectAt(object, "spec");
  const changed =
    !old ||
    !equalJson(spec["tokenRequests"] ?? null, objectAt(old, "spec")["tokenRequests"] ?? null);
  if (
    !errors.length &&
    changed &&
    hasItems(spec["tokenRequests"]) &&
    !isSet(spec["serviceAccountTokenInSecrets"])
  )
    context.warn(secretsWarning);
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const is = (field: string): boolean => spec[field] === true;
  const tokens = Array.isArray(spec["tokenRequests"])
    ? itemsAt(spec, "tokenRequests")
        .map((request) => stringAt(request, "audience"))
        .join(",")
    : "<unset>";
  return [
    nameOf(object),
    is("attachRequired"),
    is("podInfoOnMount"),
    is("storageCapacity"),
    tokens,
    is("requiresRepublish"),
    textsAt(spec, "volumeLifecycleModes").join(",") || "<none>",
    ageOf(object, nowMs),
  ];
}
