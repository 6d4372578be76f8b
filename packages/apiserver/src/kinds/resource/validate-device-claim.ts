// Validates the spec of claims: requests, constraints among them, and configuration for drivers.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateDeviceClaim and
// below).
import { type Decoded, dnsSubdomainFaults } from "homeostat/api";
import type {
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaimSpec,
} from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { validateList, validateSet } from "./bounded-lists.ts";
import { validateConfiguration } from "./device-configuration.ts";
import {
  fullAttributeNameErrors,
  labelNameErrors,
  type RequestNames,
  requestNamesOf,
  requestReferenceErrors,
} from "./device-names.ts";
import { setTolerationDefaults, validateDeviceToleration } from "./device-taints.ts";
import { selectorErrors } from "./device-selectors.ts";

/** Maximum requests, constraints and configurations of one claim, each. */
export const maxRequests = 32;
const maxSubrequests = 8;
const modes = ["All", "ExactCount"];
const oneKind = "exactly one of `exactly` or `firstAvailable` is required";

/** `spec` of a claim or of a template's claims. */
export function validateClaimRequests(
  spec: Decoded<ResourceClaimSpec>,
  path: string,
): readonly FieldError[] {
  const devices = spec.devices ?? {};
  const at = `${path}.devices`;
  const names = requestNamesOf(devices);
  return [
    ...validateSet(devices.requests ?? [], `${at}.requests`, {
      max: maxRequests,
      validate: validateRequest,
      keyOf: ({ name }) => name ?? "",
    }),
    ...validateList(
      devices.constraints ?? [],
      maxRequests,
      (constraint, each) => validateConstraint(constraint, each, names),
      `${at}.constraints`,
    ),
    ...validateList(
      devices.config ?? [],
      maxRequests,
      (config, each) => [
        ...validateReferences(config, each, names),
        ...validateConfiguration(config, each, "new"),
      ],
      `${at}.config`,
    ),
  ];
}

/** `requests` of a constraint or of a configuration: names of requests without repetition. */
export function validateReferences(
  holder: { readonly requests?: readonly string[] | null },
  path: string,
  names: RequestNames,
): readonly FieldError[] {
  return validateSet(holder.requests ?? [], `${path}.requests`, {
    max: maxRequests,
    validate: (name, at) => requestReferenceErrors(name, at, names),
    keyOf: String,
  });
}

function validateRequest(request: Decoded<DeviceRequest>, path: string): FieldError[] {
  return [...labelNameErrors(request.name ?? "", `${path}.name`), ...validateChoice(request, path)];
}

function validateChoice(request: Decoded<DeviceRequest>, path: string): readonly FieldError[] {
  const subrequests = request.firstAvailable ?? [];
  const { exactly } = request;
  if (subrequests.length && exactly)
    return [fieldError.invalid(path, null, `${oneKind}, but multiple fields are set`)];
  if (exactly) return validateDeviceRequest(exactly, `${path}.exactly`);
  if (!subrequests.length) return [fieldError.required(path, oneKind)];
  return validateSet(subrequests, `${path}.firstAvailable`, {
    max: maxSubrequests,
    validate: (each, at) => [
      ...labelNameErrors(each.name ?? "", `${at}.name`),
      ...validateDeviceRequest(each, at),
    ],
    keyOf: ({ name }) => name ?? "",
  });
}

/** What exact requests and subrequests have in common. */
type AnyDeviceRequest = Decoded<ExactDeviceRequest> | Decoded<DeviceSubRequest>;

function validateDeviceRequest(request: AnyDeviceRequest, path: string): FieldError[] {
  const className = request.deviceClassName ?? "";
  const at = `${path}.deviceClassName`;
  return [
    ...(className
      ? dnsSubdomainFaults(className).map((fault) => fieldError.invalid(at, className, fault))
      : [fieldError.required(at, "")]),
    ...selectorErrors(request.selectors ?? [], `${path}.selectors`, "new"),
    ...validateAllocation(request, path),
    ...eachItem(request.tolerations, `${path}.tolerations`, validateDeviceToleration),
  ];
}

function validateAllocation(request: AnyDeviceRequest, path: string): FieldError[] {
  const mode = request.allocationMode ?? "";
  const count = Number(request.count ?? 0);
  if (!modes.includes(mode))
    return [fieldError.notSupported(`${path}.allocationMode`, mode, modes)];
  if (mode === "All")
    return errorIf(count, () =>
      fieldError.invalid(
        `${path}.count`,
        count,
        "must not be specified when allocationMode is 'All'",
      ),
    );
  return errorIf(count <= 0, () =>
    fieldError.invalid(`${path}.count`, count, "must be greater than zero"),
  );
}

function validateConstraint(
  constraint: Decoded<DeviceConstraint>,
  path: string,
  names: RequestNames,
): readonly FieldError[] {
  return [
    ...validateReferences(constraint, path, names),
    ...constraintAttributeErrors(constraint, path),
  ];
}

function constraintAttributeErrors(
  { matchAttribute, distinctAttribute }: Decoded<DeviceConstraint>,
  path: string,
): FieldError[] {
  if (isSet(matchAttribute))
    return fullAttributeNameErrors(matchAttribute, `${path}.matchAttribute`);
  if (isSet(distinctAttribute))
    return fullAttributeNameErrors(distinctAttribute, `${path}.distinctAttribute`);
  // Upstream's message, though no field is set.
  return [
    fieldError.required(
      path,
      'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
    ),
  ];
}

/** Sets the defaults of `spec` of a claim. */
export function setDeviceRequestDefaults(spec: Decoded<ResourceClaimSpec>): void {
  for (const request of spec.devices?.requests ?? []) {
    if (request.exactly) setRequestDefaults(request.exactly);
    for (const each of request.firstAvailable ?? []) setRequestDefaults(each);
  }
}

function setRequestDefaults(request: AnyDeviceRequest): void {
  request.allocationMode ||= "ExactCount";
  if (request.allocationMode === "ExactCount") request.count ||= 1;
  setTolerationDefaults(request);
}
