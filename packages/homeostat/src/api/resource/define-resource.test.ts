import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import type { JsonObject } from "../json.ts";
import { toCustomResourceDefinition } from "./custom-resource-definition.ts";
import { defineResource } from "./define-resource.ts";
import { k } from "./k.ts";

const api = { group: "kitchen.example.com", version: "v1" } as const;
const code = (expected: string, pattern?: RegExp) => (error: unknown) =>
  isHomeostatError(error, expected) && (pattern?.test(error.message) ?? true);

test("a resource is callable, and knows its names", () => {
  const Dish = defineResource({ ...api, kind: "Dish", spec: z.object({ hot: z.boolean() }) });
  assert.deepEqual(
    [Dish.apiVersion, Dish.kind, Dish.resource, Dish.scope],
    ["kitchen.example.com/v1", "Dish", "dishes", "Namespaced"],
  );
  assert.deepEqual(Dish("soup", { hot: true }), {
    apiVersion: "kitchen.example.com/v1",
    kind: "Dish",
    metadata: { name: "soup" },
    spec: { hot: true },
  });
});

test("rules of k grow instead of replacing each other, also across checks that follow", () => {
  const { definition } = defineResource({
    ...api,
    kind: "Order",
    spec: z.object({
      table: z.int().apply(k.immutable).min(1).apply(k.rule("self < 100", "too far")),
      dishes: k
        .listMap(z.object({ name: z.string() }), "name")
        .min(1)
        .max(10),
    }),
  });
  assert.deepEqual(definition.spec.properties?.["table"], {
    type: "integer",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    "x-kubernetes-validations": [
      { rule: "self == oldSelf", message: "immutable" },
      { rule: "self < 100", message: "too far" },
    ],
  });
  const dishes = definition.spec.properties?.["dishes"];
  assert.deepEqual(
    [dishes?.["x-kubernetes-list-type"], dishes?.["x-kubernetes-list-map-keys"], dishes?.minItems],
    ["map", ["name"], 1],
  );
});

test("status has no required fields, and conditions", () => {
  const manifest = toCustomResourceDefinition(
    defineResource({
      ...api,
      kind: "Order",
      spec: z.object({}),
      status: z.object({ cooked: z.int() }),
      conditions: ["Ready"],
      columns: { Ready: "condition:Ready", Cooked: ".status.cooked" },
    }),
  );
  const [version] = (manifest["spec"] as { versions: JsonObject[] }).versions as [JsonObject];
  const root = (version["schema"] as { openAPIV3Schema: { properties: { status: JsonObject } } })
    .openAPIV3Schema;
  assert.equal("required" in root.properties.status, false);
  assert.deepEqual(Object.keys(root.properties.status["properties"] as JsonObject), [
    "cooked",
    "observedGeneration",
    "conditions",
  ]);
  assert.deepEqual(version["subresources"], { status: {} });
  assert.deepEqual(
    (version["additionalPrinterColumns"] as JsonObject[]).map((column) => [
      column["name"],
      column["type"],
    ]),
    [
      ["Ready", "string"],
      ["Cooked", "integer"],
      ["Age", "date"],
    ],
  );
});

test("unknown values are preserved, records are typed, and int-or-string has its extension", () => {
  const { definition } = defineResource({
    ...api,
    kind: "Box",
    spec: z.object({
      any: z.unknown(),
      anyOrNull: z.unknown().nullable(),
      double: z.float64(),
      open: z.looseObject({ a: z.string() }),
      map: z.record(z.string(), z.number()),
      port: k.intOrString(),
      big: k.int64(),
    }),
  });
  const { any, anyOrNull, double, open, map, port, big } = definition.spec.properties!;
  assert.deepEqual(any, { "x-kubernetes-preserve-unknown-fields": true });
  assert.deepEqual(anyOrNull, { nullable: true, "x-kubernetes-preserve-unknown-fields": true });
  assert.deepEqual(double, { type: "number" });
  assert.equal(open?.["x-kubernetes-preserve-unknown-fields"], true);
  assert.deepEqual(map, { type: "object", additionalProperties: { type: "number" } });
  assert.deepEqual(port, { "x-kubernetes-int-or-string": true });
  assert.deepEqual(big, { type: "integer", format: "int64" });
});

test("features that a server cannot evaluate are refused, all at once, with path and remedy", () => {
  const define = () =>
    defineResource({
      ...api,
      kind: "Bad",
      spec: z.object({
        refined: z.string().refine((s) => s.length > 1),
        trimmed: z.string().trim(),
        flags: z.string().regex(/a/i),
        choice: z.union([z.string(), z.number()]),
        keys: z.record(z.string().regex(/^x/), z.string()),
        caught: z.string().catch("x"),
        coerced: z.coerce.number<number>(),
        random: z.string().default(() => String(Math.random())),
        tuple: z.tuple([z.string(), z.string()]),
        single: z.float32(),
      }),
    });
  assert.throws(define, (error) => {
    if (!isHomeostatError(error, "ERR_SCHEMA_UNSUPPORTED")) return false;
    for (const path of [
      "refined",
      "trimmed",
      "flags",
      "choice",
      "keys",
      "caught",
      "single",
      "coerced",
      "tuple",
    ])
      assert.match(error.message, new RegExp(`spec\\.${path}: `), path);
    assert.match(error.message, /converting it twice gives two different results/);
    return true;
  });
});

test("invalid names, columns and versions are refused", () => {
  assert.throws(
    () => defineResource({ ...api, kind: "order", spec: z.object({}) }),
    code("ERR_RESOURCE_NAME", /kind must be/),
  );
  assert.throws(
    () => defineResource({ group: "kitchen", version: "v1", kind: "Order", spec: z.object({}) }),
    code("ERR_RESOURCE_NAME", /group must be/),
  );
  assert.throws(
    () =>
      defineResource({
        ...api,
        kind: "Order",
        spec: z.object({ a: z.string() }),
        columns: { B: ".spec.b" },
      }),
    code("ERR_RESOURCE_COLUMN", /\.spec\.b/),
  );
  const v1 = defineResource({ ...api, kind: "Order", spec: z.object({}) });
  assert.throws(() => toCustomResourceDefinition(v1, v1), code("ERR_RESOURCE_VERSIONS", /twice/));
});

test("a schema without a JSON form says what it lacks", () => {
  const bare = {
    "~standard": { version: 1, vendor: "bare", validate: () => ({ value: {} }), types: undefined },
  } as const;
  assert.throws(
    () => defineResource({ ...api, kind: "Order", spec: bare as never }),
    code("ERR_SCHEMA_NO_JSON_SCHEMA", /vendor bare/),
  );
});
