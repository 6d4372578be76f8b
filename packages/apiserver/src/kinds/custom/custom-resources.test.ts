import assert from "node:assert/strict";
import { agesAt } from "../../apimachinery/rest/table-printer.ts";
import { test } from "node:test";
import { isObject, type Json, type JsonObject, parseJson } from "homeostat/api";
import { createKindTypes } from "../../merge/typed/smd-from-kind-data.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import { toOutcome, type ValidationResult } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { createCustomResources, type CustomMaterials } from "./create-custom-resources.ts";
import { beasts, cages } from "./testdata/zoo.ts";

const data = readKindData("1.36");
const materials: CustomMaterials = {
  data,
  smdOf: createKindTypes(data),
  compileRules: () => undefined,
};
const [cage] = createCustomResources(cages(), materials) as [ServedResource];
const [, beastV1, beastV2] = createCustomResources(beasts(), materials) as [
  ServedResource,
  ServedResource,
  ServedResource,
];
const apiVersion = "zoo.example.com/v1";

const contextWith = (warnings: string[]): WriteContext => ({
  user: "me",
  dryRun: false,
  subresource: "",
  now: "2026-11-21T10:00:00Z",
  warn: (text) => void warnings.push(text),
});
const context = contextWith([]);
const decoded = (resource: ServedResource, body: Json): JsonObject =>
  resource.codec.decode(parseJson(JSON.stringify(body))).object;
const cageOf = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({
  apiVersion,
  kind: "Cage",
  metadata: { name: "a", generation: 4 },
  spec,
  ...more,
});
const print = (result: ValidationResult): readonly string[] =>
  toOutcome(result).errors.map(({ field, body }) => `${field}: ${body}`);
const statusView = (resource: ServedResource): Strategy => {
  const view = resource.subresources.get("status");
  assert.equal(view?.at, "store");
  return view.strategy;
};
const scaleView = (resource: ServedResource) => {
  const view = resource.subresources.get("scale");
  assert.equal(view?.at, "scale");
  return view;
};

test("a merged apply is pruned too, but keeps nulls for validation", () => {
  const merged = cageOf({ color: null, roof: 1 });
  assert.deepEqual(cage.codec.complete!(merged).spec, { color: null, size: 1 });
});

test("decoding prunes, defaults and reads metadata, and reports strict errors", () => {
  const decoded = cage.codec.decode(
    parseJson(
      '{"apiVersion":"zoo.example.com/v1","kind":"Cage","metadata":{"name":"a","labels":{},"odd":1},"spec":{"color":"red","color":"blue","roof":1},"top":1}',
    ),
  );
  assert.deepEqual(decoded, {
    object: {
      apiVersion,
      kind: "Cage",
      metadata: { name: "a" },
      spec: { color: "blue", size: 1 },
    },
    strictErrors: [
      'duplicate field "spec.color"',
      'unknown field "metadata.odd"',
      'unknown field "spec.roof"',
      'unknown field "top"',
    ],
  });
});

test("metadata of the wrong type is a bad request with Go's message", () => {
  const message =
    'Cage in version "v1" cannot be handled as a Cage: json: cannot unmarshal number into Go struct field ObjectMeta.annotations of type string';
  assert.throws(
    () => decoded(cage, { apiVersion, kind: "Cage", metadata: { annotations: { a: 1 } } }),
    { message },
  );
});

test("a new object starts at generation 1 without status", () => {
  const object = cageOf({ color: "red" }, { status: { phase: "x" } });
  cage.strategy.prepareForCreate(object, context);
  assert.deepEqual(object, {
    apiVersion,
    kind: "Cage",
    metadata: { name: "a", generation: 1 },
    spec: { color: "red" },
  });
});

test("generation follows everything but metadata and status", () => {
  const old = cageOf({ color: "red" }, { status: { phase: "x" } });
  const generation = (object: JsonObject): Json | undefined => {
    cage.strategy.prepareForUpdate(object, old, context);
    assert.deepEqual(object.status, old.status);
    return isObject(object.metadata) ? object.metadata.generation : undefined;
  };
  assert.equal(generation(cageOf({ color: "red" }, { status: { phase: "y" } })), 4);
  assert.equal(generation(cageOf({ color: "blue" })), 5);
});

test("without a status endpoint, status counts like any field", () => {
  const old: JsonObject = { metadata: { generation: 4 }, status: { a: 1 } };
  const object: JsonObject = { metadata: { generation: 4 }, status: { a: 2 } };
  beastV1.strategy.prepareForUpdate(object, old, context);
  assert.deepEqual(object, { metadata: { generation: 5 }, status: { a: 2 } });
});

test("the status endpoint changes status and nothing else", () => {
  const old = cageOf({ color: "red" }, { status: { phase: "old" } });
  const object = cageOf(
    { color: "blue" },
    {
      metadata: { name: "a", labels: { a: "b" }, managedFields: [{ manager: "m" }] },
      status: { phase: "new" },
    },
  );
  statusView(cage).prepareForUpdate(object, old, context);
  assert.deepEqual(
    object,
    cageOf(
      { color: "red" },
      {
        metadata: { name: "a", generation: 4, managedFields: [{ manager: "m" }] },
        status: { phase: "new" },
      },
    ),
  );
  assert.deepEqual(
    print(
      statusView(cage).validateUpdate(cageOf({}, { status: { phase: "too long" } }), old, context),
    ),
    ["status.phase: Too long: may not be more than 4 bytes"],
  );
});

test("a status of null is tolerated where there was none", () => {
  const faults = (old: JsonObject): readonly string[] =>
    print(statusView(cage).validateUpdate(cageOf({}, { status: null }), old, context));
  assert.deepEqual(faults(cageOf({}, {})), []);
  assert.deepEqual(faults(cageOf({}, { status: {} })), [
    'status: Invalid value: "null":  in body must be of type object: "null"',
  ]);
});

test("a wrong kind is reported, and the schema is not looked at", () => {
  assert.deepEqual(print(cage.strategy.validateCreate(cageOf({}, { kind: "Rage" }), context)), [
    'kind: Invalid value: "Rage": must be Cage',
  ]);
});

test("replicas are judged on every write", () => {
  const faults = (spec: JsonObject, status: JsonObject = {}): readonly string[] =>
    print(cage.strategy.validateCreate(cageOf({ color: "red", ...spec }, { status }), context));
  assert.deepEqual(faults({ bars: { count: -1 } }), [
    ".spec.bars.count: Invalid value: -1: should be a non-negative integer",
  ]);
  assert.deepEqual(faults({ bars: { count: 2 ** 31 } }), [
    ".spec.bars.count: Invalid value: 2147483648: should be less than or equal to 2147483647",
  ]);
  assert.deepEqual(faults({}, { selector: "a", bars: 1 }), []);
});

test("lists that held something twice before may keep doing so", () => {
  const old = cageOf({ color: "red", tags: ["a", "a"] });
  assert.deepEqual(print(cage.strategy.validateCreate(old, context)), [
    'spec.tags[1]: Duplicate value: "a"',
  ]);
  assert.deepEqual(
    cage.strategy.validateUpdate(cageOf({ color: "red", tags: ["a", "a", "a"] }), old, context),
    { errors: [], warnings: [] },
  );
});

test("finalizers without a domain are accepted with a warning", () => {
  const object = cageOf(
    { color: "red" },
    { metadata: { name: "a", finalizers: ["plain", "with.dot", "a.b/c", "orphan"] } },
  );
  assert.deepEqual(cage.strategy.validateCreate(object, context), []);
  assert.deepEqual(cage.strategy.warningsOnCreate(object, context), [
    'metadata.finalizers: "plain": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    'metadata.finalizers: "with.dot": prefer a domain-qualified finalizer name including a path (/) to avoid accidental conflicts with other finalizer writers',
  ]);
});

test("scale reads and writes the paths of the definition", () => {
  const { scale } = scaleView(cage);
  const parent = cageOf({ bars: { count: 3 } }, { status: { bars: 2, selector: "a=b" } });
  assert.deepEqual(scale.toScale(parent), {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name: "a" },
    spec: { replicas: 3 },
    status: { replicas: 2, selector: "a=b" },
  });
  scale.applyScale(parent, { spec: {} });
  assert.deepEqual(parent.spec, { bars: { count: 0 } });
  assert.deepEqual(scale.replicasPath, ["f:spec", "f:bars", "f:count"]);
});

test("absent replicas cannot be read, but written", () => {
  const { scale } = scaleView(cage);
  const parent = cageOf({});
  assert.throws(() => scale.toScale(parent), {
    message: 'Internal error occurred: the spec replicas field ".spec.bars.count" does not exist',
  });
  const start = scale.toScaleForUpdate!(parent);
  assert.throws(() => scale.applyScale(parent, start), {
    message: 'the spec replicas field ".spec.bars.count" cannot be empty',
  });
  assert.throws(() => scale.toScale(cageOf({ bars: 5 })), {
    message:
      ".spec.bars.count accessor error: 5 is of the type int64, expected map[string]interface{}",
  });
});

test("selectable fields are printed as Go prints them, absent ones are empty", () => {
  assert.deepEqual(cage.fields.names, ["spec.color", "spec.size"]);
  assert.deepEqual(cage.fields.extract(cageOf({ color: "red", size: 3 })), {
    "spec.color": "red",
    "spec.size": "3",
  });
  assert.deepEqual(cage.fields.extract(cageOf({})), { "spec.color": "", "spec.size": "" });
});

test("columns of the definition follow the name; without any there is the age", () => {
  const now = agesAt(Date.parse("2026-11-21T10:00:00Z"));
  assert.deepEqual(
    cage.table.columns.map(({ name, type, priority }) => [name, type, priority]),
    [
      ["Name", "string", 0],
      ["Color", "string", 0],
      ["Bars", "integer", 1],
      ["Opened", "date", 0],
    ],
  );
  assert.deepEqual(
    cage.table.cells(
      cageOf({ color: "red", bars: { count: 2.9 }, opened: "2026-11-21T09:00:00Z" }),
      now,
    ),
    ["a", "red", 2, "60m"],
  );
  assert.deepEqual(cage.table.cells(cageOf({ bars: { count: "x" }, opened: "soon" }), now), [
    "a",
    null,
    null,
    "<invalid>",
  ]);
  assert.deepEqual(
    beastV1.table.columns.map(({ name }) => name),
    ["Name", "Age"],
  );
  assert.deepEqual(
    scaleView(cage).table?.columns.map(({ name }) => name),
    ["Name", "Desired", "Available", "Age"],
  );
});

test("versions differ in what they know, and only the stored one's defaults are filled in on reading", () => {
  const written = decoded(beastV1, {
    apiVersion: "zoo.example.com/v1",
    kind: "Beast",
    metadata: { name: "b" },
    spec: { name: "n" },
  });
  assert.deepEqual(written.spec, { name: "n", fur: "v1 default" });
  const stored = beastV1.codec.toStorage(written);
  assert.deepEqual([stored.apiVersion, stored.spec], ["zoo.example.com/v2", { name: "n" }]);
  assert.deepEqual(beastV1.codec.fromStorage(structuredClone(stored)).spec, { name: "n" });
  assert.deepEqual(beastV2.codec.fromStorage(stored).spec, { name: "n", horn: "v2 default" });
  assert.deepEqual(
    [beastV1.codec.storageIdentity, beastV2.codec.storageIdentity, cage.codec.storageIdentity],
    [false, false, true],
  );
});

test("an object stored in a version that no longer is the storage version is read by its own schema", () => {
  const old: JsonObject = {
    apiVersion: "zoo.example.com/v1alpha1",
    kind: "Beast",
    metadata: {},
    spec: { tail: "t", name: "n", odd: 1 },
  };
  assert.deepEqual(beastV2.codec.fromStorage(old), {
    apiVersion: "zoo.example.com/v2",
    kind: "Beast",
    metadata: {},
    spec: { name: "n" },
  });
});

test("versions that only a webhook can convert are not shown as something they are not", () => {
  const definition = beasts();
  (definition.spec as JsonObject).conversion = { strategy: "Webhook" };
  const [, v1, v2] = createCustomResources(definition, materials) as [
    ServedResource,
    ServedResource,
    ServedResource,
  ];
  const stored = (): JsonObject => ({
    apiVersion: "zoo.example.com/v2",
    kind: "Beast",
    metadata: {},
    spec: { name: "n" },
  });
  assert.throws(() => v1.codec.fromStorage(stored()), {
    message: /^convert Beast from zoo\.example\.com\/v2 to zoo\.example\.com\/v1: /,
  });
  assert.deepEqual(v2.codec.fromStorage(stored()).spec, { name: "n", horn: "v2 default" });
});

test("deprecated versions name the best that is left", () => {
  const [old] = createCustomResources(beasts(), materials) as [ServedResource];
  assert.equal(
    old.deprecationWarning,
    "zoo.example.com/v1alpha1 Beast is deprecated; use zoo.example.com/v2 Beast",
  );
  assert.equal(beastV2.deprecationWarning, undefined);
});

test("a terminating definition serves no creation", () => {
  const terminating = cages();
  (terminating.status as JsonObject).conditions = [{ type: "Terminating", status: "True" }];
  const [resource] = createCustomResources(terminating, materials) as [ServedResource];
  assert.equal(resource.creatable, false);
  assert.deepEqual(resource.verbs, ["delete", "deletecollection", "get", "list", "watch"]);
});

test("rules are not checked for an object without a name", () => {
  const failed = { type: "FieldValueInvalid", field: "", body: "failed rule" } as const;
  const rules = { evaluate: () => ({ errors: [failed], warnings: [], remainingBudget: 0 }) };
  const ruled = createCustomResources(cages(), { ...materials, compileRules: () => rules });
  const { validateCreate } = (ruled as [ServedResource])[0].strategy;
  const last = (metadata: JsonObject): string | undefined =>
    print(validateCreate(cageOf({ color: "red" }, { metadata }), context)).at(-1);
  assert.equal(last({ name: "a" }), ": failed rule");
  assert.match(last({})!, /some validation rules were not checked/);
});
