// Validates the status of claims: the allocation, its consumers, and the status of its devices.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateResourceClaimStatusUpdate and below).
import { type Decoded, equalJson, type JsonObject } from "homeostat/api";
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateNodeSelector } from "../core/pod/validation/validate-affinity.ts";
import { interfaceAddressErrors } from "../validation/ip-addresses.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { validateConditions } from "../validation/validate-conditions.ts";
import { csiNameErrors } from "../validation/csi-driver-name.ts";
import { validateList, validateSet } from "./bounded-lists.ts";
import { validateConfiguration, validateRawObject } from "./device-configuration.ts";
import {
  labelNameErrors,
  poolNameErrors,
  type RequestNames,
  requestNamesOf,
  requestReferenceErrors,
  shareIdErrors,
} from "./device-names.ts";
import { validateBindingConditions } from "./validate-binding-conditions.ts";
import { maxRequests, validateReferences } from "./validate-device-claim.ts";

const maxConsumers = 256;
const maxConditions = 8;
const maxAddresses = 16;
const sources = ["FromClaim", "FromClass"];

/** An update through the status subresource. */
export function validateClaimStatus(
  claim: Decoded<ResourceClaim>,
  old: Decoded<ResourceClaim>,
): readonly FieldError[] {
  const status = claim.status ?? {};
  const { allocation } = status;
  const allocated = new Set((allocation?.devices?.results ?? []).map(sharedDeviceKey));
  return [
    ...validateSet(status.reservedFor ?? [], "status.reservedFor", {
      max: maxConsumers,
      validate: consumerErrors,
      keyOf: ({ uid }) => uid ?? "",
    }),
    ...validateSet(status.devices ?? [], "status.devices", {
      max: -1,
      validate: (device, path) => validateDeviceStatus(device, path, allocated),
      keyOf: sharedDeviceKey,
      repeated: (device, path) => fieldError.duplicate(path, sharedDevice(device)),
    }),
    ...reservationErrors(claim, old),
    ...(allocation
      ? allocationErrors(
          allocation,
          old.status?.allocation,
          requestNamesOf(claim.spec?.devices ?? {}),
        )
      : []),
  ];
}

/** The key of an allocated device: driver, pool, name and share, if any. */
export const sharedDeviceKey = (device: AllocatedDevice): string =>
  JSON.stringify(sharedDevice(device));

type AllocatedDevice = Decoded<AllocatedDeviceStatus> | Decoded<DeviceRequestAllocationResult>;

/**
 * Upstream: k8s.io/dynamic-resource-allocation/structured (SharedDeviceID), which is no API type.
 */
const sharedDevice = ({ driver, pool, device, shareID }: AllocatedDevice): JsonObject => ({
  Driver: driver ?? "",
  Pool: pool ?? "",
  Device: device ?? "",
  ShareID: shareID ?? "",
});

function consumerErrors(
  consumer: Decoded<ResourceClaimConsumerReference>,
  path: string,
): FieldError[] {
  return (["resource", "name", "uid"] as const).flatMap((field) =>
    errorIf(!consumer[field], () => fieldError.required(`${path}.${field}`, "")),
  );
}

function reservationErrors(
  claim: Decoded<ResourceClaim>,
  old: Decoded<ResourceClaim>,
): FieldError[] {
  const status = claim.status ?? {};
  const consumers = status.reservedFor ?? [];
  const path = "status.reservedFor";
  if (!consumers.length) return [];
  if (!status.allocation)
    return [fieldError.forbidden(path, "may not be specified when `allocated` is not set")];
  const before = old.status?.reservedFor ?? [];
  const added =
    isSet(metadataOf(claim).deletionTimestamp) &&
    consumers.some((consumer) => !before.some((each) => equalJson(each, consumer)));
  return errorIf(added, () =>
    fieldError.forbidden(
      path,
      "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
    ),
  );
}

/** An allocation is validated once; it is immutable. */
function allocationErrors(
  allocation: Decoded<AllocationResult>,
  old: Decoded<AllocationResult> | null | undefined,
  names: RequestNames,
): readonly FieldError[] {
  const path = "status.allocation";
  if (old)
    return errorIf(!equalJson(allocation, old), () =>
      fieldError.invalidInternal(
        path,
        ["resource.AllocationResult", allocation],
        "field is immutable",
      ),
    );
  const devices = allocation.devices ?? {};
  return [
    ...validateList(
      devices.results ?? [],
      maxRequests,
      (result, at) => validateResult(result, at, names),
      `${path}.devices.results`,
    ),
    ...validateList(
      devices.config ?? [],
      2 * maxRequests,
      (config, at) => [
        ...sourceErrors(config.source ?? "", `${at}.source`),
        ...validateReferences(config, at, names),
        ...validateConfiguration(config, at, "new"),
      ],
      `${path}.devices.config`,
    ),
    ...(allocation.nodeSelector
      ? validateNodeSelector(allocation.nodeSelector, `${path}.nodeSelector`)
      : []),
  ];
}

function sourceErrors(source: string, path: string): FieldError[] {
  if (!source) return [fieldError.required(path, "")];
  return errorIf(!sources.includes(source), () => fieldError.notSupported(path, source, sources));
}

function validateResult(
  result: Decoded<DeviceRequestAllocationResult>,
  path: string,
  names: RequestNames,
): FieldError[] {
  const share = result.shareID;
  return [
    ...requestReferenceErrors(result.request ?? "", `${path}.request`, names),
    ...deviceNameErrors(result, path),
    ...validateBindingConditions(result, path),
    ...(isSet(share) ? shareIdErrors(share, `${path}.shareID`) : []),
  ];
}

function deviceNameErrors(device: AllocatedDevice, path: string): FieldError[] {
  return [
    ...csiNameErrors(device.driver ?? "", `${path}.driver`),
    ...poolNameErrors(device.pool ?? "", `${path}.pool`),
    ...labelNameErrors(device.device ?? "", `${path}.device`),
  ];
}

/** The status that a driver reports of one device. */
function validateDeviceStatus(
  device: Decoded<AllocatedDeviceStatus>,
  path: string,
  allocated: ReadonlySet<string>,
): readonly FieldError[] {
  const share = device.shareID;
  const conditions = device.conditions ?? [];
  return [
    ...deviceNameErrors(device, path),
    ...(isSet(share) ? shareIdErrors(share, `${path}.shareID`) : []),
    ...errorIf(!allocated.has(sharedDeviceKey(device)), () =>
      fieldError.invalid(path, sharedDevice(device), "must be an allocated device in the claim"),
    ),
    ...errorIf(conditions.length > maxConditions, () =>
      fieldError.tooMany(`${path}.conditions`, conditions.length, maxConditions),
    ),
    ...validateConditions(conditions, `${path}.conditions`),
    ...(isSet(device.data) ? validateRawObject(device.data, `${path}.data`, "new") : []),
    ...(device.networkData ? networkErrors(device.networkData, `${path}.networkData`) : []),
  ];
}

function networkErrors(data: Decoded<NetworkDeviceData>, path: string): readonly FieldError[] {
  const limited = (field: "interfaceName" | "hardwareAddress", max: number): FieldError[] =>
    errorIf(Buffer.byteLength(data[field] ?? "") > max, () =>
      fieldError.tooLong(`${path}.${field}`, max),
    );
  return [
    ...limited("interfaceName", 256),
    ...limited("hardwareAddress", 128),
    ...validateSet(data.ips ?? [], `${path}.ips`, {
      max: maxAddresses,
      validate: interfaceAddressErrors,
      keyOf: String,
    }),
  ];
}
