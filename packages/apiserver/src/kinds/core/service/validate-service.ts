// The spec of a service.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateService and below
// it).
import type { Service, ServicePort, ServiceSpec } from "homeostat/k8s/core/v1";
import { type Decoded, dnsLabelFaults, dnsSubdomainFaults, labelKeyFaults } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { validateLabels } from "../../../apimachinery/meta/validate-object-meta.ts";
import {
  endpointIpErrors,
  legacyCidrErrors,
  legacyIpErrors,
} from "../../validation/ip-addresses.ts";
import { portNumberErrors, requiredValid } from "../../validation/field-rules.ts";
import { portNameFaults, portNumberFaults } from "../../validation/name-faults.ts";
import { isSet } from "../../../apimachinery/meta/read-fields.ts";
import {
  clusterIpsOf,
  familiesOf,
  isExternallyAccessible,
  isHeadless,
  needsHealthCheck,
  portsOf,
  specOf,
  typeOf,
} from "./service-fields.ts";
import { validateClusterIps } from "./service-families.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const types = ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"];
const affinities = ["ClientIP", "None"];
const trafficPolicies = ["Cluster", "Local"];
const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
const maxAffinitySeconds = 86_400;
const rangesAnnotation = "service.beta.kubernetes.io/load-balancer-source-ranges";
const hintsAnnotation = "service.kubernetes.io/topology-aware-hints";
const modeAnnotation = "service.kubernetes.io/topology-mode";

/** Every error in the spec of a service. */
export function validateService(
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  const spec = specOf(service);
  return [
    ...annotationErrors(service),
    ...typeSpecificErrors(service),
    ...portErrors(service),
    ...validateLabels(spec.selector ?? {}, "spec.selector"),
    ...affinityErrors(spec),
    ...validateClusterIps(service, old),
    ...externalIpErrors(spec, old),
    ...errorIf(!types.includes(typeOf(service)), () =>
      fieldError.notSupported("spec.type", typeOf(service), types),
    ),
    ...duplicatePortErrors(service),
    ...sourceRangeErrors(service, old),
    ...errorIf(
      isSet(spec.allocateLoadBalancerNodePorts) && typeOf(service) !== "LoadBalancer",
      () =>
        fieldError.forbidden(
          "spec.allocateLoadBalancerNodePorts",
          "may only be used when `type` is 'LoadBalancer'",
        ),
    ),
    ...loadBalancerClassErrors(service),
    ...externalTrafficErrors(service),
    ...internalTrafficErrors(service),
    ...oneOf(spec, "trafficDistribution", distributions),
  ];
}

const annotationsOf = (service: Decoded<Service>): Readonly<Record<string, string>> =>
  service.metadata?.annotations ?? {};

type EnumField =
  | "externalTrafficPolicy"
  | "internalTrafficPolicy"
  | "sessionAffinity"
  | "trafficDistribution";

function oneOf(
  spec: Decoded<ServiceSpec>,
  field: EnumField,
  values: readonly string[],
): FieldError[] {
  const value = spec[field];
  return errorIf(isSet(value) && !values.includes(value), () =>
    fieldError.notSupported(`spec.${field}`, value, values),
  );
}

function annotationErrors(service: Decoded<Service>): FieldError[] {
  const { [modeAnnotation]: mode, [hintsAnnotation]: hints } = annotationsOf(service);
  return errorIf(mode !== undefined && hints !== undefined && mode !== hints, () =>
    fieldError.invalid(
      `metadata.annotations[${modeAnnotation}]`,
      mode,
      `must match annotations[${hintsAnnotation}] when both are specified`,
    ),
  );
}

function typeSpecificErrors(service: Decoded<Service>): FieldError[] {
  const type = typeOf(service);
  const errors = errorIf(
    !portsOf(service).length && !isHeadless(service) && type !== "ExternalName",
    () => fieldError.required("spec.ports", ""),
  );
  if (type === "ExternalName") return [...errors, ...externalNameErrors(service)];
  if ((type === "LoadBalancer" || type === "NodePort") && isHeadless(service))
    errors.push(
      fieldError.invalid(
        "spec.clusterIPs[0]",
        "None",
        `may not be set to 'None' for ${type} services`,
      ),
    );
  return errors;
}

function externalNameErrors(service: Decoded<Service>): FieldError[] {
  const spec = specOf(service);
  const unset = (field: string, isThere: boolean): FieldError[] =>
    errorIf(isThere, () =>
      fieldError.forbidden(`spec.${field}`, "may not be set for ExternalName services"),
    );
  const name = (spec.externalName ?? "").replace(/\.$/, "");
  return [
    ...unset("clusterIPs", clusterIpsOf(service).length > 0),
    ...unset("ipFamilies", familiesOf(service).length > 0),
    ...unset("ipFamilyPolicy", isSet(spec.ipFamilyPolicy)),
    ...(name
      ? dnsSubdomainFaults(name).map((fault) =>
          fieldError.invalid("spec.externalName", name, fault),
        )
      : [fieldError.required("spec.externalName", "")]),
  ];
}

function portErrors(service: Decoded<Service>): FieldError[] {
  const ports = portsOf(service);
  const names = new Set<string>();
  return eachItem(ports, "spec.ports", (port, path) => {
    const name = port.name ?? "";
    const errors: FieldError[] = [];
    if (!name && ports.length > 1) errors.push(fieldError.required(`${path}.name`, ""));
    if (name)
      errors.push(
        ...dnsLabelFaults(name).map((fault) => fieldError.invalid(`${path}.name`, name, fault)),
      );
    if (name && names.has(name)) errors.push(fieldError.duplicate(`${path}.name`, name));
    names.add(name);
    return [...errors, ...portFieldErrors(port, path)];
  });
}

function portFieldErrors(port: Decoded<ServicePort>, path: string): FieldError[] {
  const { targetPort, appProtocol } = port;
  const protocol = port.protocol ?? "";
  const target =
    typeof targetPort === "string"
      ? portNameFaults(targetPort)
      : portNumberFaults(Number(targetPort ?? 0));
  return [
    ...portNumberFaults(port.port ?? 0).map((fault) =>
      fieldError.invalid(`${path}.port`, port.port ?? 0, fault),
    ),
    ...errorIf(!protocols.includes(protocol), () =>
      fieldError.notSupported(`${path}.protocol`, protocol, protocols),
    ),
    ...target.map((fault) => fieldError.invalid(`${path}.targetPort`, targetPort ?? 0, fault)),
    ...(typeof appProtocol === "string"
      ? labelKeyFaults(appProtocol).map((fault) =>
          fieldError.invalid(`${path}.appProtocol`, appProtocol, fault),
        )
      : []),
  ];
}

function affinityErrors(spec: Decoded<ServiceSpec>): FieldError[] {
  const affinity = spec.sessionAffinity ?? "";
  const path = "spec.sessionAffinityConfig";
  const errors = oneOf(spec, "sessionAffinity", affinities);
  if (affinity === "None")
    return isSet(spec.sessionAffinityConfig)
      ? [fieldError.forbidden(path, "must not be set when session affinity is None")]
      : errors;
  if (affinity !== "ClientIP") return errors;
  const seconds = spec.sessionAffinityConfig?.clientIP?.timeoutSeconds;
  if (!isSet(seconds)) return [fieldError.required(path, "when session affinity type is ClientIP")];
  return errorIf(Number(seconds) <= 0 || Number(seconds) > maxAffinitySeconds, () =>
    fieldError.invalid(
      `${path}.clientIP.timeoutSeconds`,
      seconds,
      `must be greater than 0 and less than ${maxAffinitySeconds}`,
    ),
  );
}

function externalIpErrors(
  spec: Decoded<ServiceSpec>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  const kept = old ? (specOf(old).externalIPs ?? []) : [];
  return eachItem(spec.externalIPs, "spec.externalIPs", (ip, at) => {
    const errors = legacyIpErrors(ip, at, kept);
    return errors.length ? errors : endpointIpErrors(ip, at);
  });
}

function duplicatePortErrors(service: Decoded<Service>): FieldError[] {
  const ports = portsOf(service);
  const errors: FieldError[] = [];
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  if (typeOf(service) === "ClusterIP")
    ports.forEach(
      (port, i) =>
        (port.nodePort ?? 0) &&
        errors.push(
          fieldError.forbidden(
            `spec.ports[${i}].nodePort`,
            "may not be used when `type` is 'ClusterIP'",
          ),
        ),
    );
  ports.forEach((port, i) => {
    const nodePort = port.nodePort ?? 0;
    const key = `${port.protocol ?? ""} ${nodePort}`;
    if (nodePort && nodePorts.has(key))
      errors.push(fieldError.duplicate(`spec.ports[${i}].nodePort`, nodePort));
    if (nodePort) nodePorts.add(key);
  });
  ports.forEach((port, i) => {
    const key = `${port.protocol ?? ""} ${port.port ?? 0}`;
    if (numbers.has(key))
      errors.push(
        fieldError.duplicateInternal(`spec.ports[${i}]`, [
          "core.ServicePort",
          { protocol: port.protocol ?? "", port: port.port ?? 0 },
        ]),
      );
    numbers.add(key);
  });
  return errors;
}

function sourceRangeErrors(
  service: Decoded<Service>,
  old: Decoded<Service> | undefined,
): FieldError[] {
  const ranges = specOf(service).loadBalancerSourceRanges ?? [];
  const annotation = annotationsOf(service)[rangesAnnotation];
  // Upstream's path has the Go name of the field.
  const path = ranges.length
    ? "spec.LoadBalancerSourceRanges"
    : `metadata.annotations[${rangesAnnotation}]`;
  if (!ranges.length && annotation === undefined) return [];
  const errors = errorIf(typeOf(service) !== "LoadBalancer", () =>
    fieldError.forbidden(path, "may only be used when `type` is 'LoadBalancer'"),
  );
  if (ranges.length) {
    const kept = old
      ? (specOf(old).loadBalancerSourceRanges ?? []).map((range) => range.trim())
      : [];
    return [
      ...errors,
      ...eachItem(ranges, path, (range, at) => legacyCidrErrors(range.trim(), at, kept)),
    ];
  }
  const text = annotation!.trim();
  if (!text || (old && annotationsOf(old)[rangesAnnotation] === annotation)) return errors;
  return [...errors, ...text.split(",").flatMap((range) => legacyCidrErrors(range.trim(), path))];
}

/** The class has a qualified name, and belongs to load balancers. */
export function loadBalancerClassErrors(service: Decoded<Service>): FieldError[] {
  const name = specOf(service).loadBalancerClass;
  if (typeof name !== "string") return [];
  if (typeOf(service) !== "LoadBalancer")
    return [
      fieldError.forbidden(
        "spec.loadBalancerClass",
        "may only be used when `type` is 'LoadBalancer'",
      ),
    ];
  return labelKeyFaults(name).map((fault) =>
    fieldError.invalid("spec.loadBalancerClass", name, fault),
  );
}

function externalTrafficErrors(service: Decoded<Service>): FieldError[] {
  const spec = specOf(service);
  const policy = spec.externalTrafficPolicy ?? "";
  const policyErrors = isExternallyAccessible(service)
    ? requiredValid(
        () => oneOf(spec, "externalTrafficPolicy", trafficPolicies),
        policy,
        "spec.externalTrafficPolicy",
      )
    : errorIf(policy, () =>
        fieldError.invalid(
          "spec.externalTrafficPolicy",
          policy,
          "may only be set for externally-accessible services",
        ),
      );
  return [...policyErrors, ...healthCheckErrors(service, spec.healthCheckNodePort ?? 0)];
}

function healthCheckErrors(service: Decoded<Service>, port: number): FieldError[] {
  const path = "spec.healthCheckNodePort";
  if (needsHealthCheck(service)) return requiredValid(portNumberErrors, port, path);
  return errorIf(port, () =>
    fieldError.invalid(
      path,
      port,
      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'",
    ),
  );
}

function internalTrafficErrors(service: Decoded<Service>): FieldError[] {
  const spec = specOf(service);
  if (!isSet(spec.internalTrafficPolicy))
    return errorIf(["NodePort", "LoadBalancer", "ClusterIP"].includes(typeOf(service)), () =>
      fieldError.required("spec.internalTrafficPolicy", ""),
    );
  return oneOf(spec, "internalTrafficPolicy", trafficPolicies);
}
