// Endpoints: the older form of endpoint slices. Every request is told to move on.
// Upstream: k8s.io/kubernetes/pkg/registry/core/endpoint/strategy.go, pkg/apis/core/v1/defaults.go,
// pkg/apis/core/validation.
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  equalJson,
  type Json,
  type JsonObject,
  labelKeyFaults,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupported,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { endpointIpErrors, ipWarnings, legacyIpErrors } from "../validation/ip-addresses.ts";
import { portNumberFaults } from "../validation/name-faults.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  itemsAt,
  numberAt,
  setIfEmpty,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";

const protocols = ["SCTP", "TCP", "UDP"];
const addressLists = ["addresses", "notReadyAddresses"] as const;

export const endpoints: KindDefinition = {
  group: "",
  version: "v1",
  kind: "Endpoints",
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  defaults(object) {
    for (const subset of itemsAt(object, "subsets"))
      for (const port of itemsAt(subset, "ports")) setIfEmpty(port, "protocol", "TCP");
  },
  strategy: {
    allowCreateOnUpdate: true,
    validateCreate: (object, context) =>
      warned(object, context, [...finalizerErrors(object), ...validateSubsets(object)]),
    validateUpdate(object, old, context) {
      const isKept = equalJson(object["subsets"] ?? null, old["subsets"] ?? null);
      return warned(object, context, [
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...(isKept ? [] : validateSubsets(object)),
      ]);
    },
  },
  cells: (object, nowMs) => [
    nameOf(object),
    formatSubsets(itemsAt(object, "subsets")),
    ageOf(object, nowMs),
  ],
};

function warned(
  object: JsonObject,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  const own =
    stringAt(objectAt(metadataOf(object), "labels"), "endpoints.kubernetes.io/managed-by") ===
    "endpoint-controller";
  if (errors.length || own) return errors;
  itemsAt(object, "subsets").forEach((subset, i) => {
    for (const list of addressLists)
      itemsAt(subset, list).forEach((address, j) =>
        ipWarnings(stringAt(address, "ip"), `subsets[${i}].${list}[${j}].ip`).forEach(context.warn),
      );
  });
  return errors;
}

function validateSubsets(object: JsonObject): FieldError[] {
  return itemsAt(object, "subsets").flatMap((subset, i) => {
    const path = `subsets[${i}]`;
    const ports = itemsAt(subset, "ports");
    const isEmpty = addressLists.every((list) => itemsAt(subset, list).length === 0);
    return [
      ...(isEmpty ? [required(path, "must specify `addresses` or `notReadyAddresses`")] : []),
      ...addressLists.flatMap((list) =>
        itemsAt(subset, list).flatMap((address, j) =>
          validateAddress(address, `${path}.${list}[${j}]`),
        ),
      ),
      ...ports.flatMap((port, j) => validatePort(port, `${path}.ports[${j}]`, ports.length)),
    ];
  });
}

function validateAddress(address: JsonObject, path: string): FieldError[] {
  const ip = stringAt(address, "ip");
  const hostname = stringAt(address, "hostname");
  const nodeName = address["nodeName"];
  return [
    ...legacyIpErrors(ip, `${path}.ip`),
    ...(hostname
      ? dnsLabelFaults(hostname).map((fault) => invalid(`${path}.hostname`, hostname, fault))
      : []),
    ...(typeof nodeName === "string"
      ? dnsSubdomainFaults(nodeName).map((fault) => invalid(`${path}.nodeName`, nodeName, fault))
      : []),
    ...endpointIpErrors(ip, `${path}.ip`),
  ];
}

/** With several ports, each needs a name. */
function validatePort(port: JsonObject, path: string, count: number): FieldError[] {
  const name = stringAt(port, "name");
  const protocol = stringAt(port, "protocol");
  const { appProtocol } = port;
  return [
    ...(name
      ? dnsLabelFaults(name).map((fault) => invalid(`${path}.name`, name, fault))
      : count > 1
        ? [required(`${path}.name`, "")]
        : []),
    ...portNumberFaults(numberAt(port, "port")).map((fault) =>
      invalid(`${path}.port`, numberAt(port, "port"), fault),
    ),
    ...(protocols.includes(protocol)
      ? []
      : [notSupported(`${path}.protocol`, protocol, protocols)]),
    ...(typeof appProtocol === "string"
      ? labelKeyFaults(appProtocol).map((fault) =>
          invalid(`${path}.appProtocol`, appProtocol, fault),
        )
      : []),
  ];
}

const maxShown = 3;

/** `10.0.0.1:80,10.0.0.2:80`, the first three only. */
function formatSubsets(subsets: readonly JsonObject[]): Json {
  if (!subsets.length) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = itemsAt(subset, "addresses").map((address) => stringAt(address, "ip"));
    const ports = itemsAt(subset, "ports");
    return ports.length
      ? ports.flatMap((port) =>
          addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${numberAt(port, "port")}`),
        )
      : addresses;
  });
  const shown = all.slice(0, maxShown).join(",");
  return all.length > maxShown ? `${shown} + ${all.length - maxShown} more...` : shown;
}
