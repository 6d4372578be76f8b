// ResourceClaims, which request devices and hold their allocation, and the templates of claims.
// Upstream:
// k8s.io/kubernetes/pkg/registry/resource/{resourceclaim,resourceclaimtemplate}/strategy.go,
// pkg/apis/resource/{v1/defaults.go,validation/validation.go}.
import type { Decoded } from "homeostat/api";
import type {
  DeviceRequestAllocationResult,
  ResourceClaim,
  ResourceClaimSpec,
  ResourceClaimTemplate,
} from "homeostat/k8s/resource/v1";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateTemplateMetadata } from "../core/persistent-volume-claim/validate-claim-template.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { statusOnlyStrategy, statusResetStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors, immutableSpec, metadataErrors } from "../validation/validate-object.ts";
import { adminRequestErrors, adminResultErrors } from "./admin-access.ts";
import { sharedDeviceKey, validateClaimStatus } from "./validate-claim-status.ts";
import { setTolerationDefaults } from "./device-taints.ts";
import { setDeviceRequestDefaults, validateClaimRequests } from "./validate-device-claim.ts";

export const resourceClaim: KindDefinition<Decoded<ResourceClaim>> = {
  ...gvk("resource.k8s.io/v1", "ResourceClaim"),
  returnsDeletedObject: true,
  defaults(object) {
    setDeviceRequestDefaults(object.spec ?? {});
    for (const result of resultsOf(object)) setTolerationDefaults(result);
  },
  strategy: {
    ...statusResetStrategy,
    validateCreate: (object, context) => [
      ...adminRequestErrors(object, object.spec ?? {}, context),
      ...finalizerErrors(object),
      ...validateClaimRequests(object.spec ?? {}, "spec"),
    ],
    validateUpdate: (object, old) => [
      ...metadataErrors(object, { namespaced: true }),
      ...finalizerErrors(object),
      ...immutableSpec("resource.ResourceClaimSpec", object, old),
    ],
  },
  withoutTables: ["status"],
  subresources: {
    status: {
      ...statusOnlyStrategy,
      prepareForUpdate(object, old, context) {
        statusOnlyStrategy.prepareForUpdate!(object, old, context);
        dropDeallocatedStatusDevices(object, old);
      },
      validateUpdate: (object, old, context) => [
        ...adminResultErrors(object, old, context),
        ...validateClaimStatus(object, old),
      ],
    },
  },
  cells: (object, ages) => [nameOf(object), stateOf(object), ageOf(object, ages)],
};

export const resourceClaimTemplate: KindDefinition<Decoded<ResourceClaimTemplate>> = {
  ...gvk("resource.k8s.io/v1", "ResourceClaimTemplate"),
  returnsDeletedObject: true,
  defaults: (object) => setDeviceRequestDefaults(claimSpecOf(object)),
  strategy: {
    validateCreate: (object, context) => [
      ...adminRequestErrors(object, claimSpecOf(object), context),
      ...finalizerErrors(object),
      ...templateErrors(object),
    ],
    validateUpdate: (object, old) => [
      ...metadataErrors(object, { namespaced: true }),
      ...templateErrors(object),
      ...immutableSpec("resource.ResourceClaimTemplateSpec", object, old),
    ],
  },
  cells: (object, ages) => [nameOf(object), ageOf(object, ages)],
};

const claimSpecOf = (template: Decoded<ResourceClaimTemplate>): Decoded<ResourceClaimSpec> =>
  template.spec?.spec ?? {};

const templateErrors = (template: Decoded<ResourceClaimTemplate>): FieldError[] => [
  ...validateTemplateMetadata(template.spec ?? {}, "spec"),
  ...validateClaimRequests(claimSpecOf(template), "spec.spec"),
];

const resultsOf = (
  claim: Decoded<ResourceClaim>,
): readonly Decoded<DeviceRequestAllocationResult>[] =>
  claim.status?.allocation?.devices?.results ?? [];

/** Removes the status of devices that are no longer allocated. */
function dropDeallocatedStatusDevices(
  claim: Decoded<ResourceClaim>,
  old: Decoded<ResourceClaim>,
): void {
  const allocated = new Set(resultsOf(claim).map(sharedDeviceKey));
  const gone = new Set(
    resultsOf(old)
      .map(sharedDeviceKey)
      .filter((key) => !allocated.has(key)),
  );
  const status = claim.status ?? {};
  const devices = (status.devices ?? []).filter((device) => !gone.has(sharedDeviceKey(device)));
  if (devices.length) status.devices = devices;
  else delete status.devices;
}

function stateOf(claim: Decoded<ResourceClaim>): string {
  const status = claim.status ?? {};
  const isDeleted = isSet(metadataOf(claim).deletionTimestamp);
  const states = isDeleted ? ["deleted"] : [];
  if (!status.allocation) return (isDeleted ? states : ["pending"]).join(",");
  return [...states, "allocated", ...(status.reservedFor?.length ? ["reserved"] : [])].join(",");
}
