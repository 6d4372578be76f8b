// Validates endpoint slices.
// Upstream: k8s.io/kubernetes/pkg/apis/discovery/validation/validation.go.
import {
  type Decoded,
  dnsLabelFaults,
  dnsSubdomainFaults,
  equalJson,
  labelKeyFaults,
  labelValueFaults,
} from "homeostat/api";
import type {
  Endpoint,
  EndpointHints,
  EndpointPort,
  EndpointSlice,
} from "homeostat/k8s/discovery/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateLabels } from "../../apimachinery/meta/validate-object-meta.ts";
import {
  endpointIpErrors,
  ipErrors,
  ipFamilyOf,
  legacyIpErrors,
} from "../validation/ip-addresses.ts";
import { createUniqueRule, ruled } from "../validation/field-rules.ts";

const addressTypes = ["FQDN", "IPv4", "IPv6"];
const protocols = ["SCTP", "TCP", "UDP"];
const limits = { topology: 16, addresses: 100, ports: 20_000, endpoints: 1000, hints: 8 };

/** Every violation; endpoints that did not change are not validated. */
export function validateEndpointSlice(
  object: Decoded<EndpointSlice>,
  old: Decoded<EndpointSlice> | undefined,
): FieldError[] {
  const type = object.addressType ?? "";
  const isKept = old !== undefined && equalJson(object.endpoints ?? null, old.endpoints ?? null);
  return [
    ...addressTypeErrors(type),
    ...validatePorts(object.ports ?? []),
    ...(isKept ? [] : validateEndpoints(object.endpoints ?? [], type)),
  ];
}

function addressTypeErrors(type: string): FieldError[] {
  if (!type) return [fieldError.required("addressType", "")];
  return errorIf(!addressTypes.includes(type), () =>
    fieldError.notSupported("addressType", type, addressTypes),
  );
}

function validatePorts(ports: readonly Decoded<EndpointPort>[]): FieldError[] {
  if (ports.length > limits.ports) return [fieldError.tooMany("ports", ports.length, limits.ports)];
  const unique = createUniqueRule();
  return eachItem(ports, "ports", (port, path) => {
    const name = port.name ?? "";
    const protocol = port.protocol ?? "";
    const errors = name
      ? dnsLabelFaults(name).map((fault) => fieldError.invalid(`${path}.name`, name, fault))
      : [];
    errors.push(...unique(name, `${path}.name`));
    if (!protocols.includes(protocol))
      errors.push(fieldError.notSupported(`${path}.protocol`, protocol, protocols));
    const appProtocol = port.appProtocol;
    if (typeof appProtocol === "string")
      errors.push(
        ...labelKeyFaults(appProtocol).map((fault) =>
          fieldError.invalid(`${path}.appProtocol`, appProtocol, fault),
        ),
      );
    return errors;
  });
}

function validateEndpoints(endpoints: readonly Decoded<Endpoint>[], type: string): FieldError[] {
  if (endpoints.length > limits.endpoints)
    return [fieldError.tooMany("endpoints", endpoints.length, limits.endpoints)];
  return eachItem(endpoints, "endpoints", (endpoint, at) => validateEndpoint(endpoint, type, at));
}

function validateEndpoint(endpoint: Decoded<Endpoint>, type: string, path: string): FieldError[] {
  const addresses = endpoint.addresses ?? [];
  const errors: FieldError[] = [];
  if (!addresses.length)
    errors.push(fieldError.required(`${path}.addresses`, "must contain at least 1 address"));
  else if (addresses.length > limits.addresses)
    errors.push(fieldError.tooMany(`${path}.addresses`, addresses.length, limits.addresses));
  addresses.forEach((address, i) =>
    errors.push(...validateAddress(address, type, `${path}.addresses`, i)),
  );
  const { nodeName, hostname } = endpoint;
  if (typeof nodeName === "string")
    errors.push(
      ...dnsSubdomainFaults(nodeName).map((fault) =>
        fieldError.invalid(`${path}.nodeName`, nodeName, fault),
      ),
    );
  const topology = endpoint.deprecatedTopology ?? {};
  if (Object.keys(topology).length > limits.topology)
    errors.push(
      fieldError.tooMany(
        `${path}.deprecatedTopology`,
        Object.keys(topology).length,
        limits.topology,
      ),
    );
  errors.push(...validateLabels(topology, `${path}.deprecatedTopology`));
  if (typeof hostname === "string")
    errors.push(
      ...dnsLabelFaults(hostname).map((fault) =>
        fieldError.invalid(`${path}.hostname`, hostname, fault),
      ),
    );
  return endpoint.hints ? [...errors, ...validateHints(endpoint.hints, `${path}.hints`)] : errors;
}

function validateAddress(address: string, type: string, path: string, i: number): FieldError[] {
  const at = `${path}[${i}]`;
  if (type === "FQDN") return fqdnErrors(address, at);
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = type === "IPv4" ? legacyIpErrors(address, at) : ipErrors(address, at);
  if (errors.length) return errors;
  return [
    ...errorIf(ipFamilyOf(address) !== type, () =>
      fieldError.invalid(path, address, `must be an ${type} address`),
    ),
    ...endpointIpErrors(address, at),
  ];
}

function fqdnErrors(name: string, path: string): FieldError[] {
  if (!name) return [fieldError.required(path, "")];
  const plain = name.endsWith(".") ? name.slice(0, -1) : name;
  const faults = dnsSubdomainFaults(plain);
  if (faults.length) return [fieldError.invalid(path, plain, faults.join(","))];
  const labels = plain.split(".");
  if (labels.length < 2)
    return [
      fieldError.invalid(
        path,
        plain,
        "should be a domain with at least two segments separated by dots",
      ),
    ];
  const broken = labels.find((label) => dnsLabelFaults(label).length > 0);
  return broken === undefined
    ? []
    : [fieldError.invalid(path, broken, dnsLabelFaults(broken).join(","))];
}

function validateHints(hints: Decoded<EndpointHints>, path: string): FieldError[] {
  const zones = validateHintNames(hints, "forZones", path, labelValueFaults);
  if ((hints.forZones ?? []).length > limits.hints) return zones;
  return [...zones, ...validateHintNames(hints, "forNodes", path, dnsSubdomainFaults)];
}

function validateHintNames(
  hints: Decoded<EndpointHints>,
  field: "forZones" | "forNodes",
  path: string,
  faults: (name: string) => readonly string[],
): FieldError[] {
  const items = hints[field] ?? [];
  if (items.length > limits.hints)
    return [fieldError.tooMany(`${path}.${field}`, items.length, limits.hints)];
  const unique = createUniqueRule();
  return eachItem(items, `${path}.${field}`, (item, itemPath) => {
    const name = item.name ?? "";
    const at = `${itemPath}.name`;
    return [...unique(name, at), ...ruled(faults, name, at)];
  });
}
