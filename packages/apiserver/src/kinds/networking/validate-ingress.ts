// Validates the spec and the status of ingresses.
// Upstream: k8s.io/kubernetes/pkg/apis/networking/validation/validation.go.
import { type Decoded, dnsLabelFaults, dnsSubdomainFaults, pathSegmentFaults } from "homeostat/api";
import type { TypedLocalObjectReference } from "homeostat/k8s/core/v1";
import type {
  HTTPIngressPath,
  IngressBackend,
  IngressClassParametersReference,
  IngressRule,
  IngressServiceBackend,
  IngressSpec,
  IngressStatus,
  IngressTLS,
} from "homeostat/k8s/networking/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { legacyIpErrors, parseIpSloppy } from "../validation/ip-addresses.ts";
import { loadBalancerHostnameErrors } from "../validation/load-balancer-hostname.ts";
import { portNameFaults, portNumberFaults, wildcardHostFaults } from "../validation/name-faults.ts";

/** Which rules apply; what the stored object violates may stay so. */
interface IngressValidationOptions {
  readonly secretNames: "checked" | "as they are";
  readonly wildcardRules: "checked" | "as they are";
}

/** Every violation in a spec that `old` does not have. */
export function validateIngressSpec(
  spec: Decoded<IngressSpec>,
  old: Decoded<IngressSpec>,
): FieldError[] {
  const options: IngressValidationOptions = {
    secretNames: hasInvalidSecretName(old) ? "as they are" : "checked",
    wildcardRules: hasInvalidWildcardRule(old) ? "as they are" : "checked",
  };
  const errors: FieldError[] = [];
  const defaultBackend = spec.defaultBackend;
  if (!(spec.rules ?? []).length && !defaultBackend)
    errors.push(
      fieldError.invalid(
        "spec",
        spec.rules ?? null,
        "either `defaultBackend` or `rules` must be specified",
      ),
    );
  if (defaultBackend) errors.push(...validateBackend(defaultBackend, "spec.defaultBackend"));
  (spec.rules ?? []).forEach((rule, i) =>
    errors.push(...validateRule(rule, `spec.rules[${i}]`, options)),
  );
  (spec.tls ?? []).forEach((tls, i) => errors.push(...validateTls(tls, `spec.tls[${i}]`, options)));
  const className = spec.ingressClassName;
  if (typeof className === "string")
    errors.push(
      ...dnsSubdomainFaults(className).map((fault) =>
        fieldError.invalid("spec.ingressClassName", className, fault),
      ),
    );
  return errors;
}

function validateTls(
  tls: Decoded<IngressTLS>,
  path: string,
  { secretNames }: IngressValidationOptions,
): FieldError[] {
  const hosts = eachItem(tls.hosts, `${path}.hosts`, (host, at) =>
    hostFaults(host).map((fault) => fieldError.invalid(at, host, fault)),
  );
  const secret = tls.secretName ?? "";
  return secret && secretNames === "checked"
    ? [
        ...hosts,
        ...dnsSubdomainFaults(secret).map((fault) =>
          fieldError.invalid(`${path}.secretName`, secret, fault),
        ),
      ]
    : hosts;
}

const hostFaults = (host: string): readonly string[] =>
  host.includes("*") ? wildcardHostFaults(host) : dnsSubdomainFaults(host);

function validateRule(
  rule: Decoded<IngressRule>,
  path: string,
  { wildcardRules }: IngressValidationOptions,
): FieldError[] {
  const host = rule.host ?? "";
  const errors: FieldError[] = [];
  if (host && parseIpSloppy(host))
    errors.push(fieldError.invalid(`${path}.host`, host, "must be a DNS name, not an IP address"));
  if (host)
    errors.push(
      ...hostFaults(host).map((fault) => fieldError.invalid(`${path}.host`, host, fault)),
    );
  return host.includes("*") && wildcardRules === "as they are"
    ? errors
    : [...errors, ...validateHttp(rule, path)];
}

function validateHttp(rule: Decoded<IngressRule>, path: string): FieldError[] {
  if (!rule.http) return [];
  const paths = rule.http.paths ?? [];
  return paths.length
    ? eachItem(paths, `${path}.http.paths`, validatePath)
    : [fieldError.required(`${path}.http.paths`, "")];
}

const wrongParts = ["//", "/./", "/../", "%2f", "%2F"];
const wrongEnds = ["/..", "/."];

function validatePath(entry: Decoded<HTTPIngressPath>, path: string): FieldError[] {
  const type = entry.pathType;
  if (typeof type !== "string")
    return [fieldError.required(`${path}.pathType`, "pathType must be specified")];
  return [
    ...pathErrors(entry.path ?? "", type, path),
    ...validateBackend(entry.backend ?? {}, `${path}.backend`),
  ];
}

function pathErrors(text: string, type: string, path: string): FieldError[] {
  const wrong = (detail: string): FieldError => fieldError.invalid(`${path}.path`, text, detail);
  const relative = text.startsWith("/") ? [] : [wrong("must be an absolute path")];
  if (type === "ImplementationSpecific") return text ? relative : [];
  if (type !== "Exact" && type !== "Prefix")
    return [
      fieldError.notSupported(`${path}.pathType`, type, [
        "Exact",
        "ImplementationSpecific",
        "Prefix",
      ]),
    ];
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

function validateBackend(backend: Decoded<IngressBackend>, path: string): FieldError[] {
  const { service, resource } = backend;
  if (resource && service)
    return [fieldError.invalid(path, "", "cannot set both resource and service backends")];
  if (resource) return validateLocalReference(resource, `${path}.resource`);
  if (service) return validateServiceBackend(service, path);
  return [fieldError.invalid(path, "", "resource or service backend is required")];
}

function validateServiceBackend(
  service: Decoded<IngressServiceBackend>,
  path: string,
): FieldError[] {
  const name = service.name ?? "";
  const nameErrors = name
    ? dnsLabelFaults(name).map((fault) => fieldError.invalid(`${path}.service.name`, name, fault))
    : [fieldError.required(`${path}.service.name`, "")];
  const port = service.port ?? {};
  const portName = port.name ?? "";
  const number = port.number ?? 0;
  if (portName && number)
    return [...nameErrors, fieldError.invalid(path, "", "cannot set both port name & port number")];
  if (portName)
    return [
      ...nameErrors,
      ...portNameFaults(portName).map((fault) =>
        fieldError.invalid(`${path}.service.port.name`, portName, fault),
      ),
    ];
  if (number)
    return [
      ...nameErrors,
      ...portNumberFaults(number).map((fault) =>
        fieldError.invalid(`${path}.service.port.number`, number, fault),
      ),
    ];
  return [...nameErrors, fieldError.required(path, "port name or number is required")];
}

/** Group, kind and name of an object in the same namespace. */
export function validateLocalReference(
  reference: Decoded<TypedLocalObjectReference> | Decoded<IngressClassParametersReference>,
  path: string,
): FieldError[] {
  const group = reference.apiGroup;
  const named = (field: "kind" | "name"): FieldError[] => {
    const value = reference[field] ?? "";
    return value
      ? pathSegmentFaults(value).map((fault) =>
          fieldError.invalid(`${path}.${field}`, value, fault),
        )
      : [fieldError.required(`${path}.${field}`, "")];
  };
  return [
    ...(typeof group === "string"
      ? dnsSubdomainFaults(group).map((fault) =>
          fieldError.invalid(`${path}.apiGroup`, group, fault),
        )
      : []),
    ...named("kind"),
    ...named("name"),
  ];
}

/** Every violation in a status. */
export function validateIngressStatus(
  status: Decoded<IngressStatus>,
  old: Decoded<IngressStatus>,
): FieldError[] {
  const kept = (old.loadBalancer?.ingress ?? []).map((point) => point.ip ?? "");
  return eachItem(status.loadBalancer?.ingress, "status.loadBalancer.ingress", (point, path) => {
    const ip = point.ip ?? "";
    const hostname = point.hostname ?? "";
    return [
      ...(ip ? legacyIpErrors(ip, `${path}.ip`, kept) : []),
      ...(hostname ? loadBalancerHostnameErrors(hostname, `${path}.hostname`) : []),
    ];
  });
}

/** Whether a stored spec has a secret name that is invalid today. */
function hasInvalidSecretName(spec: Decoded<IngressSpec>): boolean {
  return (spec.tls ?? []).some(
    ({ secretName }) => secretName && dnsSubdomainFaults(secretName).length > 0,
  );
}

/** Whether a stored spec has a rule for a wildcard host that is invalid today. */
function hasInvalidWildcardRule(spec: Decoded<IngressSpec>): boolean {
  return (spec.rules ?? []).some(
    (rule) => (rule.host ?? "").includes("*") && validateHttp(rule, "").length > 0,
  );
}
