// Endpoints: deprecated in favor of EndpointSlice.
// Upstream: k8s.io/kubernetes/pkg/registry/core/endpoint/strategy.go, pkg/apis/core/v1/defaults.go,
// pkg/apis/core/validation.
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
} from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { endpointIpErrors, ipWarnings, legacyIpErrors } from "../validation/ip-addresses.ts";
import { portNumberFaults } from "../validation/name-faults.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import {
  dnsLabelErrors,
  dnsSubdomainErrors,
  qualifiedNameErrors,
} from "../validation/field-rules.ts";
import { validateWholeObject } from "../validation/validate-object.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const addressLists = ["addresses", "notReadyAddresses"] as const;

export const endpoints: KindDefinition<Decoded<Endpoints>> = {
  ...gvk("v1", "Endpoints"),
  etcdPrefix: "services/endpoints",
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  defaults(object) {
    for (const subset of object.subsets ?? [])
      for (const port of subset.ports ?? []) port.protocol ||= "TCP";
  },
  strategy: {
    allowCreateOnUpdate: true,
    ...validateWholeObject({
      namespaced: true,
      validate(object, old) {
        const isKept = old && equalJson(object.subsets ?? null, old.subsets ?? null);
        return isKept ? [] : validateSubsets(object);
      },
    }),
    warningsOnCreate: addressWarnings,
    warningsOnUpdate: addressWarnings,
  },
  cells: (object, ages) => [
    nameOf(object),
    formatSubsets(object.subsets ?? []),
    ageOf(object, ages),
  ],
};

/** The endpoints controller takes its addresses from pods, so they get no warnings. */
function addressWarnings(object: Decoded<Endpoints>): string[] {
  const { labels } = object.metadata ?? {};
  if (labels?.["endpoints.kubernetes.io/managed-by"] === "endpoint-controller") return [];
  return eachItem(object.subsets, "subsets", (subset, at) =>
    addressLists.flatMap((list) =>
      eachItem(subset[list], `${at}.${list}`, ({ ip }, at) => ipWarnings(ip ?? "", `${at}.ip`)),
    ),
  );
}

function validateSubsets(object: Decoded<Endpoints>): FieldError[] {
  return eachItem(object.subsets, "subsets", (subset, path) => {
    const ports = subset.ports ?? [];
    const isEmpty = addressLists.every((list) => !subset[list]?.length);
    return [
      ...errorIf(isEmpty, () =>
        fieldError.required(path, "must specify `addresses` or `notReadyAddresses`"),
      ),
      ...addressLists.flatMap((list) => eachItem(subset[list], `${path}.${list}`, validateAddress)),
      ...eachItem(ports, `${path}.ports`, (port, at) => validatePort(port, at, ports.length)),
    ];
  });
}

function validateAddress(address: Decoded<EndpointAddress>, path: string): FieldError[] {
  const ip = address.ip ?? "";
  const { hostname, nodeName } = address;
  return [
    ...legacyIpErrors(ip, `${path}.ip`),
    ...(hostname ? dnsLabelErrors(hostname, `${path}.hostname`) : []),
    ...(isSet(nodeName) ? dnsSubdomainErrors(nodeName, `${path}.nodeName`) : []),
    ...endpointIpErrors(ip, `${path}.ip`),
  ];
}

/** With several ports, each needs a name. */
function validatePort(port: Decoded<EndpointPort>, path: string, count: number): FieldError[] {
  const name = port.name ?? "";
  const protocol = port.protocol ?? "";
  const { appProtocol } = port;
  return [
    ...(name ? dnsLabelErrors(name, `${path}.name`) : []),
    ...errorIf(!name && count > 1, () => fieldError.required(`${path}.name`, "")),
    ...portNumberFaults(port.port ?? 0).map((fault) =>
      fieldError.invalid(`${path}.port`, port.port ?? 0, fault),
    ),
    ...errorIf(!protocols.includes(protocol), () =>
      fieldError.notSupported(`${path}.protocol`, protocol, protocols),
    ),
    ...(isSet(appProtocol) ? qualifiedNameErrors(appProtocol, `${path}.appProtocol`) : []),
  ];
}

const maxShown = 3;

/** `10.0.0.1:80,10.0.0.2:80`, the first three only. */
function formatSubsets(subsets: readonly Decoded<EndpointSubset>[]): Json {
  if (!subsets.length) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = (subset.addresses ?? []).map((address) => address.ip ?? "");
    const ports = subset.ports ?? [];
    return ports.length
      ? ports.flatMap((port) =>
          addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${port.port ?? 0}`),
        )
      : addresses;
  });
  const shown = all.slice(0, maxShown).join(",");
  return all.length > maxShown ? `${shown} + ${all.length - maxShown} more...` : shown;
}
