// Endpoint slices: addresses and ports behind a service.
// Upstream: k8s.io/kubernetes/pkg/registry/discovery/endpointslice/strategy.go,
// pkg/apis/discovery/{v1/defaults.go,validation}.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ipWarnings } from "../validation/ip-addresses.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  setIfNil,
  textsAt,
  withoutFields,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { finalizerErrors, immutable } from "../definition/default-strategy.ts";
import { validateEndpointSlice } from "./validate-endpoint-slice.ts";

export const endpointSlice: KindDefinition = {
  group: "discovery.k8s.io",
  version: "v1",
  kind: "EndpointSlice",
  defaults(object) {
    for (const port of itemsAt(object, "ports")) {
      setIfNil(port, "name", "");
      setIfNil(port, "protocol", "TCP");
    }
  },
  strategy: {
    prepareForCreate(object) {
      metadataOf(object)["generation"] = 1;
      dropTopology(object);
    },
    prepareForUpdate(object, old) {
      const before = Number(metadataOf(old)["generation"] ?? 0);
      if (isChanged(object, old)) metadataOf(object)["generation"] = before + 1;
      if (!equalJson(object["endpoints"] ?? null, old["endpoints"] ?? null)) dropTopology(object);
    },
    validateCreate: (object, context) =>
      warned(object, "create", context, [
        ...finalizerErrors(object),
        ...validateEndpointSlice(object, undefined),
      ]),
    validateUpdate: (object, old, context) =>
      warned(object, "update", context, [
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...finalizerErrors(object),
        ...validateEndpointSlice(object, old),
        ...immutable("addressType", stringAt(object, "addressType"), stringAt(old, "addressType")),
      ]),
  },
  cells,
};

/** Anything but metadata counts, and so do labels. */
function isChanged(object: JsonObject, old: JsonObject): boolean {
  return (
    !equalJson(withoutFields(object, "metadata"), withoutFields(old, "metadata")) ||
    !equalJson(objectAt(metadataOf(object), "labels"), objectAt(metadataOf(old), "labels"))
  );
}

/** v1 reads deprecatedTopology and never writes it. */
function dropTopology(object: JsonObject): void {
  for (const endpoint of itemsAt(object, "endpoints")) delete endpoint["deprecatedTopology"];
}

const ownManagers = ["endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io"];

function warned(
  object: JsonObject,
  operation: "create" | "update",
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (errors.length) return errors;
  if (operation === "create" && stringAt(object, "addressType") === "FQDN")
    context.warn("spec.addressType: FQDN endpoints are deprecated");
  if (
    ownManagers.includes(
      stringAt(objectAt(metadataOf(object), "labels"), "endpointslice.kubernetes.io/managed-by"),
    )
  )
    return errors;
  itemsAt(object, "endpoints").forEach((endpoint, i) =>
    textsAt(endpoint, "addresses").forEach((address, j) =>
      ipWarnings(address, `endpoints[${i}].addresses[${j}]`).forEach(context.warn),
    ),
  );
  return errors;
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const ports = itemsAt(object, "ports").map((port) =>
    isSet(port["port"]) ? String(port["port"]) : stringAt(port, "name"),
  );
  const addresses = itemsAt(object, "endpoints").flatMap((endpoint) =>
    textsAt(endpoint, "addresses"),
  );
  return [
    nameOf(object),
    stringAt(object, "addressType"),
    withMore(ports),
    withMore(addresses),
    ageOf(object, nowMs),
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
