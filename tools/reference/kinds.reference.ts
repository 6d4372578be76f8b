// Compares the committed kind data with a running kube-apiserver: builds each published OpenAPI v3
// component and each discovery document from the data. Needs HOMEOSTAT_REFERENCE_KUBECONFIG
// (test.ts sets it).

import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  GoField,
  ApiResource,
  GoStruct,
  TypeRef,
} from "../../packages/apiserver/src/apimachinery/kind-data/kind-data.ts";
import { readKindData } from "../../packages/apiserver/src/apimachinery/kind-data/read-kind-data.ts";
import { openReferenceClient } from "./ask-reference.ts";

type Schema = Readonly<Record<string, unknown>>;

const kubeconfig = process.env["HOMEOSTAT_REFERENCE_KUBECONFIG"];
assert.ok(
  kubeconfig,
  "HOMEOSTAT_REFERENCE_KUBECONFIG names no kubeconfig: run npm run test:reference",
);
const server = openReferenceClient(kubeconfig);
const data = readKindData("1.36");

const specialModels: Readonly<Record<string, string>> = {
  Quantity: "io.k8s.apimachinery.pkg.api.resource.Quantity",
  IntOrString: "io.k8s.apimachinery.pkg.util.intstr.IntOrString",
  RawExtension: "io.k8s.apimachinery.pkg.runtime.RawExtension",
};
const modelOf = (special: string): string =>
  specialModels[special] ??
  (special.startsWith("JSON")
    ? `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.${special}`
    : `io.k8s.apimachinery.pkg.apis.meta.v1.${special}`);

const pointer = (model: string): Schema => ({ $ref: `#/components/schemas/${model}` });

const schemaOf = (ref: TypeRef): Schema => {
  switch (ref.at) {
    case "string":
      return { type: "string" };
    case "bool":
      return { type: "boolean" };
    case "int32":
    case "int64":
      return { type: "integer", format: ref.at };
    case "float64":
      return { type: "number", format: "double" };
    case "bytes":
      return { type: "string", format: "byte" };
    case "list":
      return { type: "array", items: elementOf(ref.items) };
    case "map":
      return { type: "object", additionalProperties: elementOf(ref.values) };
    case "struct":
      return pointer(ref.type);
    case "special":
      return pointer(modelOf(ref.name));
  }
};

const zeros: Readonly<Record<string, unknown>> = {
  string: "",
  bool: false,
  int32: 0,
  int64: 0,
  float64: 0,
};

const elementOf = (ref: TypeRef): Schema => {
  if (ref.at === "struct") return { allOf: [pointer(ref.type)], default: {} };
  return ref.at in zeros ? { ...schemaOf(ref), default: zeros[ref.at] } : schemaOf(ref);
};

const nested = (schema: Schema, keywords: Schema): Schema => {
  const merged: Record<string, unknown> = { ...schema };
  for (const [keyword, value] of Object.entries(keywords)) {
    const mine = merged[keyword];
    merged[keyword] =
      mine !== null && typeof mine === "object" && !Array.isArray(mine)
        ? nested(mine as Schema, value as Schema)
        : value;
  }
  return merged;
};

const propertyOf = (field: GoField): Schema => {
  const bare = schemaOf(field.ref);
  const schema =
    "$ref" in bare && (!field.undocumented || "default" in field) ? { allOf: [bare] } : bare;
  const facts: Schema = {
    ...("default" in field ? { default: field.default } : {}),
    ...(field.enum ? { enum: field.enum } : {}),
    ...(field.listType ? { "x-kubernetes-list-type": field.listType } : {}),
    ...(field.listMapKeys ? { "x-kubernetes-list-map-keys": field.listMapKeys } : {}),
    ...(field.mapType ? { "x-kubernetes-map-type": field.mapType } : {}),
    ...(field.patchStrategy
      ? { "x-kubernetes-patch-strategy": field.patchStrategy.join(",") }
      : {}),
    ...(field.patchMergeKey ? { "x-kubernetes-patch-merge-key": field.patchMergeKey } : {}),
  };
  return nested({ ...schema, ...facts }, field.schema ?? {});
};

const componentOf = (type: GoStruct): Schema => {
  const required = type.members.filter((field) => field.required).map((field) => field.name);
  return {
    type: "object",
    ...(type.members.length > 0
      ? {
          properties: Object.fromEntries(
            type.members.map((field) => [field.name, propertyOf(field)]),
          ),
        }
      : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(type.structType ? { "x-kubernetes-map-type": type.structType } : {}),
    ...type.schema,
  };
};

const withoutDescriptions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) =>
      (key === "description" && typeof each === "string") ||
      key === "x-kubernetes-group-version-kind"
        ? []
        : [[key, withoutDescriptions(each)]],
    ),
  );
};

test("every published component follows from the data", async () => {
  const index = (await server.json("/openapi/v3")) as {
    paths: Record<string, { serverRelativeURL: string }>;
  };
  const known = new Set(data.models);
  const custom = new Set([
    ...[
      "Time",
      "MicroTime",
      "FieldsV1",
      "JSON",
      "JSONSchemaPropsOrArray",
      "JSONSchemaPropsOrBool",
      "JSONSchemaPropsOrStringArray",
    ].map(modelOf),
    ...Object.values(specialModels),
  ]);
  let compared = 0;
  for (const [path, { serverRelativeURL }] of Object.entries(index.paths)) {
    const group = path.split("/")[1] ?? "";
    // other tests of this run define and delete kinds
    if (group.includes(".") && !group.endsWith(".k8s.io")) continue;
    const document = (await server.json(serverRelativeURL)) as {
      components?: { schemas?: Record<string, Schema> };
    };
    for (const [model, published] of Object.entries(document.components?.schemas ?? {})) {
      if (custom.has(model)) continue;
      assert.ok(known.has(model), `${model} is published but missing`);
      assert.deepEqual(componentOf(data.type(model)), withoutDescriptions(published), model);
      compared++;
    }
  }
  assert.ok(compared > 500, `only ${compared} components were published`);
});

const discoveryOf = (kind: ApiResource): readonly Schema[] => {
  const { group, version } = kind;
  const primary = {
    name: kind.resource,
    singularName: kind.singular,
    namespaced: kind.namespaced,
    kind: kind.kind,
    verbs: kind.verbs,
    ...(kind.shortNames.length > 0 ? { shortNames: kind.shortNames } : {}),
    ...(kind.categories.length > 0 ? { categories: kind.categories } : {}),
    ...(kind.storageVersionHash ? { storageVersionHash: kind.storageVersionHash } : {}),
  };
  const subresources = kind.subresources.map((each) => ({
    name: `${kind.resource}/${each.name}`,
    singularName: "",
    namespaced: each.namespaced,
    kind: each.kind,
    verbs: each.verbs,
    ...(each.group !== group || each.version !== version
      ? { group: each.group, version: each.version }
      : {}),
  }));
  return [primary, ...subresources];
};

const byName = (a: Schema, b: Schema): number => (String(a["name"]) < String(b["name"]) ? -1 : 1);

for (const { group, versions } of data.groups) {
  test(`discovery of ${group || "the legacy group"} follows from the data`, async () => {
    for (const version of versions) {
      const path = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
      const published = (await server.json(path)) as { resources: Schema[] };
      const ours = data
        .kinds(group)
        .filter((kind) => kind.version === version)
        .flatMap(discoveryOf);
      assert.deepEqual([...ours].sort(byName), [...published.resources].sort(byName), path);
    }
  });
}
