// The IP families of a service, the family policy, and the addresses.
// Upstream: k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go (initIPFamilyFields),
// pkg/apis/core/validation/validation.go (ValidateServiceClusterIPsRelatedFields).
import type { Decoded } from "homeostat/api";
import type { Service } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { ipFamilyOf, legacyIpErrors } from "../../validation/ip-addresses.ts";
import { hasItems, isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  clusterIpsOf,
  familiesOf,
  isHeadless,
  policyOf,
  sameClusterIps,
  sameFamilies,
  setSpec,
  specOf,
  typeOf,
} from "./service-fields.ts";

const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
const families = ["IPv4", "IPv6"];
const clusterFamily = "IPv4";

/** Whether an update of a PreferDualStack service leaves addresses and families unchanged. */
export function keepsPreferredAddresses(service: Decoded<Service>, old: Decoded<Service>): boolean {
  const prefers = (each: Decoded<Service>): boolean => policyOf(each) === "PreferDualStack";
  return (
    isSet(specOf(service).ipFamilyPolicy) &&
    typeOf(old) === typeOf(service) &&
    ["ClusterIP", "NodePort", "LoadBalancer"].includes(typeOf(service)) &&
    prefers(service) &&
    (!isSet(specOf(old).ipFamilyPolicy) || prefers(old)) &&
    sameClusterIps(service, old) &&
    sameFamilies(service, old)
  );
}

/** Sets policy and families in place. Returns the errors of an impossible combination. */
export function initIpFamilyFields(
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  if (typeOf(service) === "ExternalName" || (old && keepsPreferredAddresses(service, old)))
    return [];
  const isSelectorless =
    (specOf(service).clusterIP ?? "") === "None" && !hasItems(specOf(service).selector);
  if (!isSet(specOf(service).ipFamilyPolicy))
    setSpec(
      service,
      "ipFamilyPolicy",
      (old && policyOf(old)) || (isSelectorless ? "RequireDualStack" : "SingleStack"),
    );
  const broken = validateClusterIps(service, old);
  if (broken.length) return broken;
  const errors = [
    ...(old ? reductionErrors(service, old) : []),
    ...singleStackErrors(service),
    ...familiesFromAddresses(service),
  ];
  if (errors.length) return errors;
  return isSelectorless ? assumeFamilies(service) : setClusterFamilies(service);
}

function reductionErrors(service: Decoded<Service>, old: Decoded<Service>): FieldError[] {
  if (policyOf(service) === "SingleStack") {
    if (sameClusterIps(old, service) && clusterIpsOf(service).length > 1)
      setSpec(service, "clusterIPs", clusterIpsOf(service).slice(0, 1));
    if (sameFamilies(old, service) && familiesOf(service).length > 1)
      setSpec(service, "ipFamilies", familiesOf(service).slice(0, 1));
    return [];
  }
  const isReduced = (of: (each: Decoded<Service>) => readonly string[]): boolean =>
    of(service).length > 0 && of(service).length < of(old).length;
  const error = (what: string): FieldError =>
    policyError(service, `must be 'SingleStack' to release the secondary ${what}`);
  return [
    ...(isReduced(clusterIpsOf) ? [error("cluster IP")] : []),
    ...(isReduced(familiesOf) ? [error("IP family")] : []),
  ];
}

const policyError = (service: Decoded<Service>, detail: string): FieldError =>
  fieldError.invalid("spec.ipFamilyPolicy", policyOf(service), detail);

function singleStackErrors(service: Decoded<Service>): FieldError[] {
  if (policyOf(service) !== "SingleStack") return [];
  const several = (what: string): FieldError =>
    policyError(
      service,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIpsOf(service).length === 2 ? [several("cluster IPs")] : []),
    ...(familiesOf(service).length === 2 ? [several("IP families")] : []),
  ];
}

/** Adds the families of addresses that `ipFamilies` does not cover. */
function familiesFromAddresses(service: Decoded<Service>): FieldError[] {
  const errors: FieldError[] = [];
  for (const [i, ip] of clusterIpsOf(service).entries()) {
    if (ip === "None") break;
    if (i < familiesOf(service).length) continue;
    const family = ipFamilyOf(ip);
    if (family === clusterFamily) setSpec(service, "ipFamilies", [...familiesOf(service), family]);
    else
      errors.push(
        fieldError.invalid(
          `spec.clusterIPs[${i}]`,
          [...clusterIpsOf(service)],
          `${family} is not configured on this cluster`,
        ),
      );
  }
  return errors;
}

/** The author of the endpoints decides about families, so both are possible. */
function assumeFamilies(service: Decoded<Service>): FieldError[] {
  if (!familiesOf(service).length) setSpec(service, "ipFamilies", [clusterFamily]);
  const [first] = familiesOf(service);
  if (familiesOf(service).length < 2 && policyOf(service) !== "SingleStack")
    setSpec(service, "ipFamilies", [first!, first === "IPv4" ? "IPv6" : "IPv4"]);
  return [];
}

function setClusterFamilies(service: Decoded<Service>): FieldError[] {
  const errors =
    policyOf(service) === "RequireDualStack"
      ? [policyError(service, "this cluster is not configured for dual-stack services")]
      : [];
  familiesOf(service).forEach((family, i) => {
    if (family !== clusterFamily)
      errors.push(
        fieldError.invalid(`spec.ipFamilies[${i}]`, family, "not configured on this cluster"),
      );
  });
  if (!errors.length && !familiesOf(service).length)
    setSpec(service, "ipFamilies", [clusterFamily]);
  return errors;
}

/** Every error in `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`. */
export function validateClusterIps(
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  if (typeOf(service) === "ExternalName") return [];
  const ips = clusterIpsOf(service);
  const errors = [...agreementErrors(service), ...familyErrors(service)];
  let hasInvalid = false;
  ips.forEach((ip, i) => {
    const ipErrors =
      i === 0 && ip === "None"
        ? noneErrors(ips)
        : legacyIpErrors(ip, `spec.clusterIPs[${i}]`, old ? clusterIpsOf(old) : []);
    hasInvalid ||= ipErrors.length > 0;
    errors.push(...ipErrors);
  });
  if (ips.length > 2)
    errors.push(fieldError.invalid("spec.clusterIPs", [...ips], "may only hold up to 2 values"));
  if (hasInvalid) return errors;
  const kinds = new Set(ips.map(ipFamilyOf));
  if (ips.length > 1 && kinds.size < 2)
    errors.push(
      fieldError.invalid(
        "spec.clusterIPs",
        [...ips],
        "may specify no more than one IP for each IP family",
      ),
    );
  return isHeadless(service) ? errors : [...errors, ...mismatchErrors(service)];
}

const noneErrors = (ips: readonly string[]): FieldError[] =>
  errorIf(ips.length > 1, () =>
    fieldError.invalid("spec.clusterIPs", [...ips], "'None' must be the first and only value"),
  );

function agreementErrors(service: Decoded<Service>): FieldError[] {
  const ip = specOf(service).clusterIP ?? "";
  const ips = clusterIpsOf(service);
  if (!ip)
    return errorIf(ips.length, () =>
      fieldError.invalid(
        "spec.clusterIPs",
        [...ips],
        "must be empty when `clusterIP` is not specified",
      ),
    );
  if (!ips.length) return [fieldError.required("spec.clusterIPs", "")];
  return errorIf(ips[0] !== ip, () =>
    fieldError.invalid("spec.clusterIPs", [...ips], "first value must match `clusterIP`"),
  );
}

function familyErrors(service: Decoded<Service>): FieldError[] {
  const seen = new Set<string>();
  const errors = eachItem(familiesOf(service), "spec.ipFamilies", (family, path) => {
    const again = errorIf(seen.has(family), () => fieldError.duplicate(path, family));
    seen.add(family);
    return [
      ...errorIf(!families.includes(family), () => fieldError.notSupported(path, family, families)),
      ...again,
    ];
  });
  const policy = specOf(service).ipFamilyPolicy;
  return typeof policy === "string" && !policies.includes(policy)
    ? [...errors, fieldError.notSupported("spec.ipFamilyPolicy", policy, policies)]
    : errors;
}

function mismatchErrors(service: Decoded<Service>): FieldError[] {
  return eachItem(familiesOf(service), "spec.clusterIPs", (family, at, i) => {
    const ip = clusterIpsOf(service)[i];
    const isWrong =
      ip !== undefined &&
      families.includes(family) &&
      (ipFamilyOf(ip) === "IPv6") !== (family === "IPv6");
    return errorIf(isWrong, () =>
      fieldError.invalid(
        at,
        ip,
        `expected an ${family} value as indicated by \`ipFamilies[${i}]\``,
      ),
    );
  });
}
