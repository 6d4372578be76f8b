// What has been given to a claim, who may use it, and what drivers report about it.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go
// (validateResourceClaimStatusUpdate and below).
import { equalJson, isObject, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  notSupported,
  required,
  tooLong,
  tooMany,
} from "../../apimachinery/errors/field-error.ts";
import { validateNodeSelector } from "../core/pod/validation/validate-affinity.ts";
import { invalidPrinted } from "../printers/format-struct.ts";
import { interfaceAddressErrors } from "../validation/ip-addresses.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  optionalTextAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
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
import { formatAllocation, formatSharedDevice } from "./format-claim.ts";
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
      (device, path) => ({
        type: "FieldValueDuplicate",
        field: path,
        body: `Duplicate value: ${formatSharedDevice(device)}`,
      }),
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
export const sharedDeviceKey = (device: JsonObject): string => formatSharedDevice(device);

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
      : [invalidPrinted(path, formatAllocation(allocation), "field is immutable")];
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
      : [
          invalidPrinted(
            path,
            formatSharedDevice(device),
            "must be an allocated device in the claim",
          ),
        ]),
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
