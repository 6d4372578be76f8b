// Rules for the spec and the status of ingresses.
// Upstream: k8s.io/kubernetes/pkg/apis/networking/validation/validation.go.
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  isObject,
  type JsonObject,
  pathSegmentFaults,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { legacyIpErrors, parseIpSloppy } from "../validation/ip-addresses.ts";
import { loadBalancerHostnameErrors } from "../validation/load-balancer-hostname.ts";
import { portNameFaults, portNumberFaults, wildcardHostFaults } from "../validation/name-faults.ts";
import {
  itemsAt,
  numberAt,
  textsAt,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";

/** What a stored object had wrong may stay wrong. */
export interface IngressRules {
  readonly secretNames: "checked" | "as they are";
  readonly wildcardRules: "checked" | "as they are";
}

/** Every breach in a spec. */
export function validateIngressSpec(spec: JsonObject, rules: IngressRules): FieldError[] {
  const errors: FieldError[] = [];
  const defaultBackend = spec["defaultBackend"];
  if (!itemsAt(spec, "rules").length && !isObject(defaultBackend))
    errors.push(
      invalid(
        "spec",
        spec["rules"] ?? null,
        "either `defaultBackend` or `rules` must be specified",
      ),
    );
  if (isObject(defaultBackend))
    errors.push(...validateBackend(defaultBackend, "spec.defaultBackend"));
  itemsAt(spec, "rules").forEach((rule, i) =>
    errors.push(...validateRule(rule, `spec.rules[${i}]`, rules)),
  );
  itemsAt(spec, "tls").forEach((tls, i) =>
    errors.push(...validateTls(tls, `spec.tls[${i}]`, rules)),
  );
  const className = spec["ingressClassName"];
  if (typeof className === "string")
    errors.push(
      ...dnsSubdomainFaults(className).map((fault) =>
        invalid("spec.ingressClassName", className, fault),
      ),
    );
  return errors;
}

function validateTls(tls: JsonObject, path: string, { secretNames }: IngressRules): FieldError[] {
  const hosts = textsAt(tls, "hosts").flatMap((host, i) =>
    hostFaults(host).map((fault) => invalid(`${path}.hosts[${i}]`, host, fault)),
  );
  const secret = stringAt(tls, "secretName");
  return secret && secretNames === "checked"
    ? [
        ...hosts,
        ...dnsSubdomainFaults(secret).map((fault) => invalid(`${path}.secretName`, secret, fault)),
      ]
    : hosts;
}

const hostFaults = (host: string): readonly string[] =>
  host.includes("*") ? wildcardHostFaults(host) : dnsSubdomainFaults(host);

function validateRule(
  rule: JsonObject,
  path: string,
  { wildcardRules }: IngressRules,
): FieldError[] {
  const host = stringAt(rule, "host");
  const errors: FieldError[] = [];
  if (host && parseIpSloppy(host))
    errors.push(invalid(`${path}.host`, host, "must be a DNS name, not an IP address"));
  if (host) errors.push(...hostFaults(host).map((fault) => invalid(`${path}.host`, host, fault)));
  return host.includes("*") && wildcardRules === "as they are"
    ? errors
    : [...errors, ...validateHttp(rule, path)];
}

function validateHttp(rule: JsonObject, path: string): FieldError[] {
  const http = rule["http"];
  if (!isObject(http)) return [];
  const paths = itemsAt(http, "paths");
  return paths.length
    ? paths.flatMap((each, i) => validatePath(each, `${path}.http.paths[${i}]`))
    : [required(`${path}.http.paths`, "")];
}

const wrongParts = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEnds = ["/..", "/."];

function validatePath(entry: JsonObject, path: string): FieldError[] {
  const type = entry["pathType"];
  if (typeof type !== "string") return [required(`${path}.pathType`, "pathType must be specified")];
  return [
    ...pathErrors(stringAt(entry, "path"), type, path),
    ...validateBackend(objectAt(entry, "backend"), `${path}.backend`),
  ];
}

function pathErrors(text: string, type: string, path: string): FieldError[] {
  const wrong = (detail: string): FieldError => invalid(`${path}.path`, text, detail);
  const relative = text.startsWith("/") ? [] : [wrong("must be an absolute path")];
  if (type === "ImplementationSpecific") return text ? relative : [];
  if (type !== "Exact" && type !== "Prefix")
    return [notSupported(`${path}.pathType`, type, ["Exact", "ImplementationSpecific", "Prefix"])];
  return [
    ...relative,
    ...wrongParts
      .filter((part) => text.includes(part))
      .map((part) => wrong(`must not contain '${part}'`)),
    ...wrongEnds
      .filter((end) => text.endsWith(end))
      .map((end) => wrong(`cannot end with '${end}'`)),
  ];
}

function validateBackend(backend: JsonObject, path: string): FieldError[] {
  const { service, resource } = backend;
  if (isObject(resource) && isObject(service))
    return [invalid(path, "", "cannot set both resource and service backends")];
  if (isObject(resource)) return validateLocalReference(resource, `${path}.resource`);
  if (isObject(service)) return validateServiceBackend(service, path);
  return [invalid(path, "", "resource or service backend is required")];
}

function validateServiceBackend(service: JsonObject, path: string): FieldError[] {
  const name = stringAt(service, "name");
  const nameErrors = name
    ? dnsLabelFaults(name).map((fault) => invalid(`${path}.service.name`, name, fault))
    : [required(`${path}.service.name`, "")];
  const port = objectAt(service, "port");
  const portName = stringAt(port, "name");
  const number = numberAt(port, "number");
  if (portName && number)
    return [...nameErrors, invalid(path, "", "cannot set both port name & port number")];
  if (portName)
    return [
      ...nameErrors,
      ...portNameFaults(portName).map((fault) =>
        invalid(`${path}.service.port.name`, portName, fault),
      ),
    ];
  if (number)
    return [
      ...nameErrors,
      ...portNumberFaults(number).map((fault) =>
        invalid(`${path}.service.port.number`, number, fault),
      ),
    ];
  return [...nameErrors, required(path, "port name or number is required")];
}

/** Group, kind and name of something in the same namespace. */
export function validateLocalReference(reference: JsonObject, path: string): FieldError[] {
  const group = reference["apiGroup"];
  const named = (field: string): FieldError[] => {
    const value = stringAt(reference, field);
    return value
      ? pathSegmentFaults(value).map((fault) => invalid(`${path}.${field}`, value, fault))
      : [required(`${path}.${field}`, "")];
  };
  return [
    ...(typeof group === "string"
      ? dnsSubdomainFaults(group).map((fault) => invalid(`${path}.apiGroup`, group, fault))
      : []),
    ...named("kind"),
    ...named("name"),
  ];
}

/** Every breach in a status. */
export function validateIngressStatus(status: JsonObject, old: JsonObject): FieldError[] {
  const points = (of: JsonObject): readonly JsonObject[] =>
    itemsAt(objectAt(of, "loadBalancer"), "ingress");
  const kept = points(old).map((point) => stringAt(point, "ip"));
  return points(status).flatMap((point, i) => {
    const path = `status.loadBalancer.ingress[${i}]`;
    const ip = stringAt(point, "ip");
    const hostname = stringAt(point, "hostname");
    return [
      ...(ip ? legacyIpErrors(ip, `${path}.ip`, kept) : []),
      ...(hostname ? loadBalancerHostnameErrors(hostname, `${path}.hostname`) : []),
    ];
  });
}

/** Whether a stored spec has names that would be refused today. */
export function hasInvalidSecretName(spec: JsonObject): boolean {
  return itemsAt(spec, "tls").some(
    (tls) =>
      stringAt(tls, "secretName") !== "" &&
      dnsSubdomainFaults(stringAt(tls, "secretName")).length > 0,
  );
}

/** Whether a stored spec has a rule for a wildcard host that would be refused today. */
export function hasInvalidWildcardRule(spec: JsonObject): boolean {
  return itemsAt(spec, "rules").some(
    (rule) => stringAt(rule, "host").includes("*") && validateHttp(rule, "").length > 0,
  );
}
