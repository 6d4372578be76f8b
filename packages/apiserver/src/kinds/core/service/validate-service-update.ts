// Immutable fields of a service, and its status.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateServiceUpdate,
// ValidateLoadBalancerStatus).
import type { Decoded } from "homeostat/api";
import type { LoadBalancerIngress, Service } from "homeostat/k8s/core/v1";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { loadBalancerHostnameErrors } from "../../validation/load-balancer-hostname.ts";
import { legacyIpErrors } from "../../validation/ip-addresses.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  clusterIpsOf,
  familiesOf,
  isHeadless,
  needsHealthCheck,
  policyOf,
  sameSpec,
  specOf,
  typeOf,
} from "./service-fields.ts";
import { loadBalancerClassErrors } from "./validate-service.ts";

/** Every error of an update of the spec. */
export function validateServiceUpdate(
  service: Decoded<Service>,
  old: Decoded<Service>,
): FieldError[] {
  const bothBalanced = typeOf(old) === "LoadBalancer" && typeOf(service) === "LoadBalancer";
  const className = specOf(service).loadBalancerClass ?? null;
  return [
    ...clusterIpChangeErrors(service, old),
    ...familyChangeErrors(service, old),
    ...errorIf(bothBalanced && !sameSpec(service, old, "loadBalancerClass"), () =>
      fieldError.invalid("spec.loadBalancerClass", className, "may not change once set"),
    ),
    ...loadBalancerClassErrors(service),
    ...errorIf(
      needsHealthCheck(old) &&
        needsHealthCheck(service) &&
        !sameSpec(service, old, "healthCheckNodePort"),
      () => fieldError.forbidden("spec.healthCheckNodePort", "field is immutable"),
    ),
  ];
}

const isExternalName = (service: Decoded<Service>): boolean => typeOf(service) === "ExternalName";
const policyError = (service: Decoded<Service>, detail: string): FieldError =>
  fieldError.invalid("spec.ipFamilyPolicy", specOf(service).ipFamilyPolicy ?? null, detail);

function clusterIpChangeErrors(service: Decoded<Service>, old: Decoded<Service>): FieldError[] {
  if (isExternalName(service) || isExternalName(old) || (isHeadless(service) && isHeadless(old)))
    return [];
  const [now, before] = [clusterIpsOf(service), clusterIpsOf(old)];
  const changed = (i: number): FieldError =>
    fieldError.invalid(`spec.clusterIPs[${i}]`, [...now], "may not change once set");
  if (now.length === before.length)
    return before.flatMap((ip, i) => (ip === now[i] ? [] : [changed(i)]));
  const errors: FieldError[] = [];
  if (!now.length)
    errors.push(
      fieldError.invalid("spec.clusterIPs[0]", null, "primary clusterIP can not be unset"),
    );
  if (now.length && before.length && now[0] !== before[0]) errors.push(changed(0));
  if (now.length < before.length && now.length === 1 && policyOf(service) !== "SingleStack")
    errors.push(
      policyError(service, "must be set to 'SingleStack' when releasing the secondary clusterIP"),
    );
  return errors;
}

function familyChangeErrors(service: Decoded<Service>, old: Decoded<Service>): FieldError[] {
  if (isExternalName(service) || isExternalName(old) || isHeadless(service) || isHeadless(old))
    return [];
  const [now, before] = [familiesOf(service), familiesOf(old)];
  const changed = (shown: readonly string[]): FieldError =>
    fieldError.invalid("spec.ipFamilies[0]", [...shown], "may not change once set");
  if (now.length === before.length)
    return before.flatMap((family, i) => (family === now[i] ? [] : [changed(now)]));
  const errors: FieldError[] = [];
  if (now.length < before.length && !clusterIpsOf(service).length)
    errors.push(
      fieldError.invalid("spec.ipFamilies[0]", [...now], "primary ipFamily can not be unset"),
    );
  if (now.length && before.length && now[0] !== before[0])
    errors.push(changed(clusterIpsOf(service)));
  if (now.length < before.length && now.length === 1 && policyOf(service) !== "SingleStack")
    errors.push(
      policyError(service, "must be set to 'SingleStack' when releasing the secondary ipFamily"),
    );
  return errors;
}

const ipModes = ["Proxy", "VIP"];

/** Every error in `status.loadBalancer`. */
export function validateLoadBalancerStatus(
  service: Decoded<Service>,
  old: Decoded<Service>,
): FieldError[] {
  const points = (each: Decoded<Service>): readonly Decoded<LoadBalancerIngress>[] =>
    each.status?.loadBalancer?.ingress ?? [];
  const path = "status.loadBalancer.ingress";
  if (typeOf(service) !== "LoadBalancer" && points(service).length)
    return [fieldError.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")];
  const kept = points(old).map((point) => point.ip ?? "");
  return eachItem(points(service), path, (point, at) => {
    const ip = point.ip ?? "";
    const hostname = point.hostname ?? "";
    return [
      ...(ip ? legacyIpErrors(ip, `${at}.ip`, kept) : []),
      ...ipModeErrors(point, at),
      ...(hostname ? loadBalancerHostnameErrors(hostname, `${at}.hostname`) : []),
    ];
  });
}

function ipModeErrors(point: Decoded<LoadBalancerIngress>, path: string): FieldError[] {
  const { ipMode } = point;
  const hasIp = Boolean(point.ip);
  if (!isSet(ipMode))
    return errorIf(hasIp, () =>
      fieldError.required(`${path}.ipMode`, "must be specified when `ip` is set"),
    );
  if (!hasIp)
    return [fieldError.forbidden(`${path}.ipMode`, "may not be specified when `ip` is not set")];
  return errorIf(!ipModes.includes(ipMode), () =>
    fieldError.notSupported(`${path}.ipMode`, ipMode, ipModes),
  );
}
