// IPAddresses: one object for each address that something in the cluster has taken; the name is the
// address.
// Upstream: k8s.io/kubernetes/pkg/registry/networking/ipaddress/strategy.go,
// pkg/apis/networking/validation/validation.go.
import {
  dnsSubdomainFaults,
  equalJson,
  isObject,
  type Json,
  type JsonObject,
  pathSegmentFaults,
} from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  required,
} from "../../apimachinery/errors/field-error.ts";
import { type NameRule, validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { ipErrors } from "../validation/ip-addresses.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { finalizerErrors } from "../definition/default-strategy.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

/**
 * A name that is a canonical address. The bodies of address errors end in the detail that a name's
 * error repeats.
 */
const nameIsAddress: NameRule = (name) =>
  ipErrors(name, "").map(({ body }) =>
    body.slice(`Invalid value: ${JSON.stringify(name)}: `.length),
  );

/** The record of addresses; `committed` hears of each that is entered and taken out. */
export const ipAddressKind = (
  committed: NonNullable<KindDefinition["committed"]>,
): KindDefinition => ({
  group: "networking.k8s.io",
  version: "v1",
  kind: "IPAddress",
  committed,
  strategy: {
    validateName: nameIsAddress,
    validateCreate: (object) => [...finalizerErrors(object), ...parentErrors(object)],
    validateUpdate: (object, old) => [
      ...validateObjectMeta(object, { namespaced: false }, nameIsAddress),
      ...finalizerErrors(object),
      ...parentErrors(object),
      ...parentChangeErrors(object, old),
    ],
  },
  cells: (object, nowMs) => [nameOf(object), formatParent(parentOf(object)), ageOf(object, nowMs)],
});

const parentOf = (object: JsonObject): Json | undefined => objectAt(object, "spec")["parentRef"];

function parentErrors(object: JsonObject): FieldError[] {
  const parent = parentOf(object);
  const path = "spec.parentRef";
  if (!isObject(parent)) return [required(path, "")];
  const group = stringAt(parent, "group");
  const segment = (field: string): FieldError[] =>
    pathSegmentFaults(stringAt(parent, field)).map((fault) =>
      invalid(`${path}.${field}`, stringAt(parent, field), fault),
    );
  const needed = (field: string): FieldError[] =>
    stringAt(parent, field) ? segment(field) : [required(`${path}.${field}`, "")];
  return [
    ...(group
      ? dnsSubdomainFaults(group).map((fault) => invalid(`${path}.group`, group, fault))
      : []),
    ...needed("resource"),
    ...needed("name"),
    ...segment("namespace"),
  ];
}

function parentChangeErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const parent = parentOf(object);
  if (equalJson(parent ?? null, parentOf(old) ?? null)) return [];
  return [
    invalidInternal(
      "spec.parentRef",
      ["*networking.ParentReference", parent],
      "field is immutable",
    ),
  ];
}

function formatParent(parent: Json | undefined): string {
  if (!isObject(parent)) return "<none>";
  const group = stringAt(parent, "group");
  const namespace = stringAt(parent, "namespace");
  const resource = group
    ? `${stringAt(parent, "resource")}.${group}`
    : stringAt(parent, "resource");
  return `${resource.toLowerCase()}${namespace ? `/${namespace}` : ""}/${stringAt(parent, "name")}`;
}
