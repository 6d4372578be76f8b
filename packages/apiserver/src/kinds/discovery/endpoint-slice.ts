// Endpoint slices: the addresses and ports behind a service.
// Upstream: k8s.io/kubernetes/pkg/registry/discovery/endpointslice/strategy.go,
// pkg/apis/discovery/{v1/defaults.go,validation}.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, equalJson, type Json } from "homeostat/api";
import type { EndpointSlice } from "homeostat/k8s/discovery/v1";
import { eachItem } from "../../apimachinery/errors/field-error.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ipWarnings } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { isSet, withoutFields } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { immutable, validateWholeObject } from "../validation/validate-object.ts";
import { validateEndpointSlice } from "./validate-endpoint-slice.ts";

export const endpointSlice: KindDefinition<Decoded<EndpointSlice>> = {
  ...gvk("discovery.k8s.io/v1", "EndpointSlice"),
  defaults(object) {
    for (const port of object.ports ?? []) {
      port.name ??= "";
      port.protocol ??= "TCP";
    }
  },
  strategy: {
    prepareForCreate(object) {
      metadataOf(object).generation = 1;
      dropTopology(object);
    },
    prepareForUpdate(object, old) {
      const before = Number(metadataOf(old).generation ?? 0);
      if (isChanged(object, old)) metadataOf(object).generation = before + 1;
      if (!equalJson(object.endpoints ?? null, old.endpoints ?? null)) dropTopology(object);
    },
    ...validateWholeObject({
      namespaced: true,
      metadataChanges: "common",
      validate: validateEndpointSlice,
      validateChange: (object, old) =>
        immutable("addressType", object.addressType ?? "", old.addressType ?? ""),
    }),
    warningsOnCreate: (object) => [
      ...(object.addressType === "FQDN" ? ["spec.addressType: FQDN endpoints are deprecated"] : []),
      ...addressWarnings(object),
    ],
    warningsOnUpdate: addressWarnings,
  },
  cells,
};

/** Whether the generation grows: everything outside metadata counts, and so do labels. */
function isChanged(object: Decoded<EndpointSlice>, old: Decoded<EndpointSlice>): boolean {
  return (
    !equalJson(withoutFields(object, "metadata"), withoutFields(old, "metadata")) ||
    !equalJson(metadataOf(object).labels ?? {}, metadataOf(old).labels ?? {})
  );
}

/** deprecatedTopology is read-only in v1. */
function dropTopology(object: Decoded<EndpointSlice>): void {
  for (const endpoint of object.endpoints ?? []) delete endpoint.deprecatedTopology;
}

const ownManagers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

/** Slices of upstream's own controllers, which copy the addresses of pods, have no warnings. */
function addressWarnings(object: Decoded<EndpointSlice>): readonly string[] {
  const manager = metadataOf(object).labels?.["endpointslice.kubernetes.io/managed-by"];
  if (ownManagers.includes(manager ?? "")) return [];
  return eachItem(object.endpoints, "endpoints", (endpoint, at) =>
    eachItem(endpoint.addresses, `${at}.addresses`, ipWarnings),
  );
}

function cells(object: Decoded<EndpointSlice>, ages: CellAges): readonly Json[] {
  const ports = (object.ports ?? []).map((port) =>
    isSet(port.port) ? String(port.port) : (port.name ?? ""),
  );
  const addresses = (object.endpoints ?? []).flatMap((endpoint) => endpoint.addresses ?? []);
  return [
    nameOf(object),
    object.addressType ?? "",
    withMore(ports),
    withMore(addresses),
    ageOf(object, ages),
  ];
}

const maxShown = 3;

/**
 * The first few, and how many more there are, e.g. `80,443,8080 + 2 more...`; `<unset>` for none.
 */
function withMore(texts: readonly string[]): string {
  if (!texts.length) return "<unset>";
  const shown = texts.slice(0, maxShown).join(",");
  return texts.length > maxShown ? `${shown} + ${texts.length - maxShown} more...` : shown;
}
