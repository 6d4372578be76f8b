// CSI drivers: what a storage driver supports and requires.
// Upstream: k8s.io/kubernetes/pkg/registry/storage/csidriver/strategy.go,
// pkg/apis/storage/{v1/defaults.go,validation}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type { CSIDriver, CSIDriverSpec, TokenRequest } from "homeostat/k8s/storage/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { bumpGeneration } from "../definition/default-strategy.ts";
import { tokenLifetimeErrors } from "../validation/field-rules.ts";
import { finalizerErrors, immutable } from "../validation/validate-object.ts";

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const lifecycleModes = ["Persistent", "Ephemeral"];
const secretsWarning =
  "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes";

export const csiDriver: KindDefinition<Decoded<CSIDriver>> = {
  ...gvk("storage.k8s.io/v1", "CSIDriver"),
  returnsDeletedObject: true,
  defaults(object) {
    const spec = (object.spec ??= {});
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType";
    if (!spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
  },
  strategy: {
    allowUnconditionalUpdate: false,
    prepareForCreate: ({ spec }) => void delete spec?.preventPodSchedulingIfMissing,
    prepareForUpdate(object, old) {
      if (!isSet(old.spec?.preventPodSchedulingIfMissing))
        delete object.spec?.preventPodSchedulingIfMissing;
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate: (object) => [...finalizerErrors(object), ...validateSpec(object.spec ?? {})],
    validateUpdate(object, old) {
      const spec = object.spec ?? {};
      const before = old.spec ?? {};
      return [
        ...finalizerErrors(object),
        ...validateSpec(spec),
        // Upstream's path differs from the field's name.
        ...immutable("spec.attachedRequired", spec.attachRequired, before.attachRequired),
        ...immutable(
          "spec.volumeLifecycleModes",
          spec.volumeLifecycleModes,
          before.volumeLifecycleModes,
        ),
      ];
    },
    warningsOnCreate: secretWarnings,
    warningsOnUpdate: (object, old) =>
      equalJson(object.spec?.tokenRequests ?? null, old.spec?.tokenRequests ?? null)
        ? []
        : secretWarnings(object),
  },
  cells,
};

function validateSpec(spec: Decoded<CSIDriverSpec>): FieldError[] {
  const policy = spec.fsGroupPolicy ?? "";
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  const inSecrets = spec.serviceAccountTokenInSecrets;
  return [
    ...errorIf(!groupPolicies.includes(policy), () =>
      fieldError.notSupported("spec.fsGroupPolicy", policy, groupPolicies),
    ),
    ...tokenErrors(spec.tokenRequests ?? []),
    ...(spec.volumeLifecycleModes ?? []).flatMap((mode) =>
      errorIf(!lifecycleModes.includes(mode), () =>
        fieldError.notSupported("spec.volumeLifecycleModes", mode, lifecycleModes),
      ),
    ),
    ...errorIf(isSet(period) && period < 10, () =>
      fieldError.invalid(
        "spec.nodeAllocatableUpdatePeriodSeconds",
        period,
        "must be greater than or equal to 10 seconds",
      ),
    ),
    ...errorIf(isSet(inSecrets) && !spec.tokenRequests?.length, () =>
      fieldError.invalid(
        "spec.serviceAccountTokenInSecrets",
        inSecrets,
        "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
      ),
    ),
  ];
}

function tokenErrors(requests: readonly Decoded<TokenRequest>[]): FieldError[] {
  const seen = new Set<string>();
  return eachItem(requests, "spec.tokenRequests", (request, path) => {
    const audience = request.audience ?? "";
    if (seen.has(audience)) return [fieldError.duplicate(`${path}.audience`, audience)];
    seen.add(audience);
    const seconds = request.expirationSeconds;
    if (!isSet(seconds)) return [];
    return tokenLifetimeErrors(seconds, `${path}.expirationSeconds`);
  });
}

function secretWarnings({ spec }: Decoded<CSIDriver>): readonly string[] {
  return spec?.tokenRequests?.length && !isSet(spec.serviceAccountTokenInSecrets)
    ? [secretsWarning]
    : [];
}

function cells(object: Decoded<CSIDriver>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const tokens = spec.tokenRequests?.map(({ audience }) => audience ?? "").join(",");
  return [
    nameOf(object),
    spec.attachRequired ?? true,
    spec.podInfoOnMount === true,
    spec.storageCapacity === true,
    tokens ?? "<unset>",
    spec.requiresRepublish === true,
    (spec.volumeLifecycleModes ?? []).join(",") || "<none>",
    ageOf(object, ages),
  ];
}
