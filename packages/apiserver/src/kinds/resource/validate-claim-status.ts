// What has been given to a claim, who may use it, and what drivers report about it.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateResourceClaimStatusUpdate and below).
import { equalJson, isObject, type JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalidInternal,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../registry/field-error.ts";
import { validateNodeSelector } from "../core/pod/validate-affinity.ts";
import { interfaceAddressErrors } from "../object/ip-addresses.ts";
import { isSet, itemsAt, mutableAt, optionalTextAt, textsAt } from "../object/read-fields.ts";
import { metadataOf, objectAt, stringAt } from "../object/strategy.ts";
import { validateConditions } from "../object/validate-conditions.ts";
import { csiNameErrors } from "../storage/csi-node.ts";
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

/** A change through the status endpoint. */
export function validateClaimStatus(claim: JsonObject, old: JsonObject): readonly FieldError[] {
  const status = objectAt(claim, "status");
  const allocation = mutableAt(status, "allocation");
  const given = new Set(
    allocation ? itemsAt(objectAt(allocation, "devices"), "results").map(sharedDeviceKey) : [],
  );
  return [
    ...validateSet(
      itemsAt(status, "reservedFor"),
      maxConsumers,
      consumerErrors,
      (consumer) => stringAt(consumer, "uid"),
      "status.reservedFor",
    ),
    ...validateSet(
      itemsAt(status, "devices"),
      -1,
      (device, path) => validateReport(device, path, given),
      sharedDeviceKey,
      "status.devices",
      (device, path) => duplicate(path, sharedDevice(device)),
    ),
    ...reservationErrors(claim, old),
    ...allocationErrors(
      allocation,
      mutableAt(objectAt(old, "status"), "allocation"),
      requestNamesOf(objectAt(objectAt(claim, "spec"), "devices")),
    ),
  ];
}

/** What tells devices apart: driver, pool, name and, where it is shared, the share. */
export const sharedDeviceKey = (device: JsonObject): string => JSON.stringify(sharedDevice(device));

/** Upstream: k8s.io/dynamic-resource-allocation/structured (SharedDeviceID), which is no API type. */
const sharedDevice = (device: JsonObject): JsonObject => ({
  Driver: stringAt(device, "driver"),
  Pool: stringAt(device, "pool"),
  Device: stringAt(device, "device"),
  ShareID: stringAt(device, "shareID"),
});

function consumerErrors(consumer: JsonObject, path: string): FieldError[] {
  return ["resource", "name", "uid"].flatMap((field) =>
    stringAt(consumer, field) ? [] : [required(`${path}.${field}`, "")],
  );
}

function reservationErrors(claim: JsonObject, old: JsonObject): FieldError[] {
  const status = objectAt(claim, "status");
  const consumers = itemsAt(status, "reservedFor");
  const path = "status.reservedFor";
  if (!consumers.length) return [];
  if (!isObject(status["allocation"]))
    return [forbidden(path, "may not be specified when `allocated` is not set")];
  const before = itemsAt(objectAt(old, "status"), "reservedFor");
  const added =
    isSet(metadataOf(claim)["deletionTimestamp"]) &&
    consumers.some((consumer) => !before.some((each) => equalJson(each, consumer)));
  return added
    ? [
        forbidden(
          path,
          "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
        ),
      ]
    : [];
}

/** An allocation is made once; what stands is not looked at again. */
function allocationErrors(
  allocation: JsonObject | undefined,
  old: JsonObject | undefined,
  names: RequestNames,
): readonly FieldError[] {
  const path = "status.allocation";
  if (!allocation) return [];
  if (old)
    return equalJson(allocation, old)
      ? []
      : [invalidInternal(path, ["resource.AllocationResult", allocation], "field is immutable")];
  const devices = objectAt(allocation, "devices");
  return [
    ...validateList(
      itemsAt(devices, "results"),
      maxRequests,
      (result, at) => validateResult(result, at, names),
      `${path}.devices.results`,
    ),
    ...validateList(
      itemsAt(devices, "config"),
      2 * maxRequests,
      (config, at) => [
        ...sourceErrors(stringAt(config, "source"), `${at}.source`),
        ...validateReferences(config, at, names),
        ...validateConfiguration(config, at, "new"),
      ],
      `${path}.devices.config`,
    ),
    ...(isObject(allocation["nodeSelector"])
      ? validateNodeSelector(allocation["nodeSelector"], `${path}.nodeSelector`)
      : []),
  ];
}

function sourceErrors(source: string, path: string): FieldError[] {
  if (!source) return [required(path, "")];
  return sources.includes(source) ? [] : [notSupported(path, source, sources)];
}

function validateResult(result: JsonObject, path: string, names: RequestNames): FieldError[] {
  const share = optionalTextAt(result, "shareID");
  return [
    ...requestReferenceErrors(stringAt(result, "request"), `${path}.request`, names),
    ...deviceNameErrors(result, path),
    ...validateBindingConditions(result, path),
    ...(share === undefined ? [] : shareIdErrors(share, `${path}.shareID`)),
  ];
}

function deviceNameErrors(device: JsonObject, path: string): FieldError[] {
  return [
    ...csiNameErrors(stringAt(device, "driver"), `${path}.driver`),
    ...poolNameErrors(stringAt(device, "pool"), `${path}.pool`),
    ...labelNameErrors(stringAt(device, "device"), `${path}.device`),
  ];
}

/** What a driver says about one device. */
function validateReport(
  device: JsonObject,
  path: string,
  given: ReadonlySet<string>,
): readonly FieldError[] {
  const share = optionalTextAt(device, "shareID");
  const conditions = itemsAt(device, "conditions");
  return [
    ...deviceNameErrors(device, path),
    ...(share === undefined ? [] : shareIdErrors(share, `${path}.shareID`)),
    ...(given.has(sharedDeviceKey(device))
      ? []
      : [invalid(path, sharedDevice(device), "must be an allocated device in the claim")]),
    ...(conditions.length > maxConditions
      ? [tooMany(`${path}.conditions`, conditions.length, maxConditions)]
      : []),
    ...validateConditions(conditions, `${path}.conditions`),
    ...(isSet(device["data"]) ? validateRawObject(device["data"], `${path}.data`, "new") : []),
    ...(isObject(device["networkData"])
      ? networkErrors(device["networkData"], `${path}.networkData`)
      : []),
  ];
}

function networkErrors(data: JsonObject, path: string): readonly FieldError[] {
  const limited = (field: string, most: number): FieldError[] =>
    Buffer.byteLength(stringAt(data, field)) > most ? [tooLong(`${path}.${field}`, most)] : [];
  return [
    ...limited("interfaceName", 256),
    ...limited("hardwareAddress", 128),
    ...validateSet(
      textsAt(data, "ips"),
      maxAddresses,
      interfaceAddressErrors,
      String,
      `${path}.ips`,
    ),
  ];
}
