// What a claim asks for: requests, the constraints among them, and settings for drivers.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDeviceClaim and
// below).
import { dnsSubdomainFaults, isObject, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  itemsAt,
  numberAt,
  optionalTextAt,
  setIfEmpty,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { validateList, validateSet } from "./bounded-lists.ts";
import { validateConfiguration } from "./device-configuration.ts";
import {
  fullAttributeNameErrors,
  labelNameErrors,
  type RequestNames,
  requestNamesOf,
  requestReferenceErrors,
} from "./device-names.ts";
import { validateDeviceToleration } from "./device-taints.ts";
import { selectorErrors } from "./device-selectors.ts";

/** Requests, constraints and settings of one claim, each. */
export const maxRequests = 32;
const maxAlternatives = 8;
const modes = ["All", "ExactCount"];
const oneKind = "exactly one of `exactly` or `firstAvailable` is required";

/** `spec` of a claim, or of what a template makes. */
export function validateClaimRequests(spec: JsonObject, path: string): readonly FieldError[] {
  const devices = objectAt(spec, "devices");
  const at = `${path}.devices`;
  const names = requestNamesOf(devices);
  return [
    ...validateSet(
      itemsAt(devices, "requests"),
      maxRequests,
      validateRequest,
      (request) => stringAt(request, "name"),
      `${at}.requests`,
    ),
    ...validateList(
      itemsAt(devices, "constraints"),
      maxRequests,
      (constraint, each) => validateConstraint(constraint, each, names),
      `${at}.constraints`,
    ),
    ...validateList(
      itemsAt(devices, "config"),
      maxRequests,
      (config, each) => [
        ...validateReferences(config, each, names),
        ...validateConfiguration(config, each, "new"),
      ],
      `${at}.config`,
    ),
  ];
}

/** `requests` of a constraint or a setting: names without repetition. */
export function validateReferences(
  holder: JsonObject,
  path: string,
  names: RequestNames,
): readonly FieldError[] {
  return validateSet(
    textsAt(holder, "requests"),
    maxRequests,
    (name, at) => requestReferenceErrors(name, at, names),
    String,
    `${path}.requests`,
  );
}

function validateRequest(request: JsonObject, path: string): FieldError[] {
  return [
    ...labelNameErrors(stringAt(request, "name"), `${path}.name`),
    ...validateChoice(request, path),
  ];
}

function validateChoice(request: JsonObject, path: string): readonly FieldError[] {
  const alternatives = itemsAt(request, "firstAvailable");
  const exactly = request["exactly"];
  if (alternatives.length && isObject(exactly))
    return [invalid(path, null, `${oneKind}, but multiple fields are set`)];
  if (isObject(exactly)) return validateDemand(exactly, `${path}.exactly`);
  if (!alternatives.length) return [required(path, oneKind)];
  return validateSet(
    alternatives,
    maxAlternatives,
    (each, at) => [
      ...labelNameErrors(stringAt(each, "name"), `${at}.name`),
      ...validateDemand(each, at),
    ],
    (each) => stringAt(each, "name"),
    `${path}.firstAvailable`,
  );
}

/** What a request and an alternative have in common. */
function validateDemand(demand: JsonObject, path: string): FieldError[] {
  const className = stringAt(demand, "deviceClassName");
  const at = `${path}.deviceClassName`;
  return [
    ...(className
      ? dnsSubdomainFaults(className).map((fault) => invalid(at, className, fault))
      : [required(at, "")]),
    ...selectorErrors(itemsAt(demand, "selectors"), `${path}.selectors`, "new"),
    ...validateAllocation(demand, path),
    ...itemsAt(demand, "tolerations").flatMap((toleration, i) =>
      validateDeviceToleration(toleration, `${path}.tolerations[${i}]`),
    ),
  ];
}

function validateAllocation(demand: JsonObject, path: string): FieldError[] {
  const mode = stringAt(demand, "allocationMode");
  const count = numberAt(demand, "count");
  if (!modes.includes(mode)) return [notSupported(`${path}.allocationMode`, mode, modes)];
  if (mode === "All")
    return count
      ? [invalid(`${path}.count`, count, "must not be specified when allocationMode is 'All'")]
      : [];
  return count <= 0 ? [invalid(`${path}.count`, count, "must be greater than zero")] : [];
}

function validateConstraint(
  constraint: JsonObject,
  path: string,
  names: RequestNames,
): FieldError[] {
  const match = optionalTextAt(constraint, "matchAttribute");
  const distinct = optionalTextAt(constraint, "distinctAttribute");
  return [
    ...validateReferences(constraint, path, names),
    ...(match !== undefined
      ? fullAttributeNameErrors(match, `${path}.matchAttribute`)
      : distinct !== undefined
        ? fullAttributeNameErrors(distinct, `${path}.distinctAttribute`)
        : // Upstream's words, though none is set.
          [
            required(
              path,
              'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
            ),
          ]),
  ];
}

/** Modes, counts and operators where upstream's defaults set them, in `spec` of a claim. */
export function setDemandDefaults(spec: JsonObject): void {
  for (const request of itemsAt(objectAt(spec, "devices"), "requests")) {
    if (isObject(request["exactly"])) setDemand(request["exactly"]);
    if (hasItems(request["firstAvailable"]))
      for (const each of itemsAt(request, "firstAvailable")) setDemand(each);
  }
}

function setDemand(demand: JsonObject): void {
  if (!stringAt(demand, "allocationMode")) demand["allocationMode"] = "ExactCount";
  if (stringAt(demand, "allocationMode") === "ExactCount" && numberAt(demand, "count") === 0)
    demand["count"] = 1;
  setTolerationDefaults(demand);
}

/** `tolerations` of a request, or of a result. */
export function setTolerationDefaults(holder: JsonObject): void {
  for (const toleration of itemsAt(holder, "tolerations"))
    setIfEmpty(toleration, "operator", "Equal");
}
