// A made-up kind for the registry's tests: `widgets.example.com/v1`, with a spec, a status and a generation, and plain
// namespaces for them to live in. It decides as little as a kind can, so that what is tested is the registry.
import { equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import { deducedType } from "../../apimachinery/types/smd-type.ts";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import type { ResourceCatalog } from "../../apimachinery/rest/resource-catalog.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";

const known = new Set(["apiVersion", "kind", "metadata", "spec", "status"]);

const codec: VersionCodec = {
  decode(body) {
    const object = body.value as JsonObject;
    const unknown = Object.keys(object).filter((field) => !known.has(field));
    for (const field of unknown) delete object[field];
    return {
      object,
      strictErrors: [
        ...body.duplicates.map((path) => `duplicate field "${path}"`),
        ...unknown.map((field) => `unknown field "${field}"`),
      ],
    };
  },
  fromStorage: (stored) => stored,
  toStorage: (object) => object,
  storageIdentity: true,
  goType: "struct",
  typeMeta: "defaulted",
  protobuf: true,
  smd: deducedType,
};

const strategy: Strategy = {
  allowCreateOnUpdate: false,
  allowUnconditionalUpdate: true,
  defaultPropagation: "Background",
  deleteReturnsObject: false,
  prepareForCreate(object) {
    metadataOf(object).generation = 1;
    delete object.status;
  },
  prepareForUpdate(object, old) {
    if (old.status === undefined) delete object.status;
    else object.status = old.status;
    if (!equalJson(object.spec ?? null, old.spec ?? null))
      metadataOf(object).generation = Number(metadataOf(object).generation) + 1;
  },
  validateCreate: (object) => sizeErrors(object),
  validateUpdate: (object) => sizeErrors(object),
  warningsOnCreate: () => [],
  warningsOnUpdate: () => [],
  validateName: (name) => (/^[a-z0-9-]+$/.test(name) ? [] : ["must be lower case"]),
  resetFields: [["f:status"]],
};

function sizeErrors(object: JsonObject): ReturnType<Strategy["validateCreate"]> {
  const size = isObject(object.spec) ? object.spec.size : undefined;
  return typeof size === "number" && size < 0
    ? [fieldError.invalid("spec.size", size, "must not be negative")]
    : [];
}

const statusStrategy: Strategy = {
  ...strategy,
  prepareForUpdate(object, old) {
    object.spec = old.spec ?? {};
  },
  resetFields: [["f:spec"]],
};

const verbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** The kind under test. */
export const widgets: ServedResource = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  resource: "widgets",
  singular: "widget",
  listKind: "WidgetList",
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs,
  storageKey: "example.com/widgets",
  storageVersion: "example.com/v1",
  storageVersionHash: "",
  etcdPrefix: "widgets",
  hub: "storage version",
  routing: "installed",
  storedSize: "unlimited",
  managedFields: {
    unknownVersions: "drop",
    conversion: "through storage",
    resetVersions: "all versions",
  },
  discovery: { groupOrder: "catalog", entryOrder: "by path", responseKind: "relative" },
  codec,
  strategy,
  subresources: new Map([
    [
      "status",
      {
        at: "store",
        kind: { group: "example.com", version: "v1", kind: "Widget" },
        verbs: ["get", "patch", "update"],
        strategy: statusStrategy,
      },
    ],
  ]),
  fields: {
    names: ["spec.color"],
    selectsNamespace: false,
    extract: (object) => ({
      "spec.color": String((isObject(object.spec) ? object.spec.color : "") ?? ""),
    }),
    unknownMessage: (name) => `field label not supported: ${name}`,
  },
  table: {
    columns: [{ name: "Name", type: "string", format: "name", description: "", priority: 0 }],
    cells: (object) => [metadataOf(object).name as Json],
    emptyRowsNull: false,
  },
  openapi: { at: "types" },
  schemaEpoch: 0,
  creatable: true,
};

/** Namespaces, as far as widgets need them. */
export const namespaces: ServedResource = {
  ...widgets,
  group: "",
  kind: "Namespace",
  resource: "namespaces",
  singular: "namespace",
  listKind: "NamespaceList",
  namespaced: false,
  storageKey: "/namespaces",
  storageVersion: "v1",
  etcdPrefix: "namespaces",
  subresources: new Map(),
  strategy: {
    ...strategy,
    prepareForCreate() {},
    prepareForUpdate() {},
    validateCreate: () => [],
    validateUpdate: () => [],
  },
};

/** Both, and whatever else a test serves. */
export function catalogOf(...more: readonly ServedResource[]): ResourceCatalog {
  const all = [namespaces, widgets, ...more];
  return {
    all: () => all,
    find: (group, version, resource) =>
      all.find(
        (each) => each.group === group && each.version === version && each.resource === resource,
      ),
    epoch: 0,
  };
}
