// The CRD controller against the smallest of API servers: one map of definitions, one of
// instances.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeJsonBytes, type JsonObject } from "homeostat/api";
import { createVirtualRuntime } from "homeostat/runtime";
import type { ApiRequest, ApiResponse } from "../../apimachinery/handler.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { createCatalog } from "../../kinds/catalog.ts";
import { type Definition, definitionOf } from "../../kinds/apiextensions/definition/definition.ts";
import { createCrdController } from "./crd-controller.ts";
import { createLoopbackClient } from "../loopback-client.ts";

const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

function setUp() {
  const controller = createCrdController();
  const catalog = createCatalog([]);
  const definitions = new Map<string, JsonObject>();
  const instances = new Set<string>();
  const log: string[] = [];
  const commit = (object: JsonObject): void => {
    const { name, deletionTimestamp, finalizers } = definitionOf(object).metadata;
    const old = definitions.get(name) ?? null;
    if (deletionTimestamp && !finalizers?.length) definitions.delete(name);
    else definitions.set(name, object);
    controller.committed(definitions.get(name) ?? null, old);
  };
  const handler = async ({ method, path, body }: ApiRequest): Promise<ApiResponse> => {
    log.push(`${method} ${path.replace(root, "")}`);
    if (path.startsWith(root) && method === "PUT")
      commit(JSON.parse(new TextDecoder().decode(body)) as JsonObject);
    if (method === "DELETE") instances.clear();
    const items = path.startsWith(root)
      ? [...definitions.values()]
      : [...instances].map((namespace) => ({ metadata: { namespace } }));
    return { status: 200, headers: {}, body: encodeJsonBytes({ items }) };
  };
  const createResources = (object: JsonObject): readonly ServedResource[] => {
    const { spec } = definitionOf(object);
    return (spec.versions ?? [])
      .filter(({ served }) => served)
      .map(
        ({ name }) =>
          ({ group: spec.group, version: name, resource: spec.names?.plural }) as ServedResource,
      );
  };
  const runtime = createVirtualRuntime({ seed: 1 });
  return {
    controller,
    catalog,
    definitions,
    instances,
    log,
    commit,
    start: () =>
      controller.start({
        loopback: createLoopbackClient(handler),
        catalog,
        runtime,
        createResources,
        openWatches: () => () => undefined,
      }),
    runtime,
  };
}

const cars = (more: JsonObject = {}): JsonObject => ({
  metadata: { name: "cars.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "cars", singular: "car", kind: "Car", listKind: "CarList" },
    versions: [{ name: "v1", served: true, storage: true }],
  },
  status: {},
  ...more,
});
const conditionsOf = (definition: Definition): string[] =>
  (definition.status.conditions ?? []).map(
    ({ type, status, reason }) => `${type}=${status} ${reason}`,
  );

test("served resources stay the same while only conditions change, and are created again for another generation", async () => {
  const { start, commit, catalog, definitions, runtime } = setUp();
  await start();
  commit(cars({ metadata: { name: "cars.x.io", uid: "1", generation: 1 } }));
  await runtime.advance(1000);
  const made = catalog.find("x.io", "v1", "cars");
  const { epoch } = catalog;
  const stored = definitions.get("cars.x.io")!;
  commit({
    ...stored,
    status: {
      ...definitionOf(stored).status,
      conditions: [
        ...(definitionOf(stored).status.conditions ?? []),
        { type: "Mine", status: "True" },
      ],
    },
  } as unknown as JsonObject);
  assert.equal(catalog.find("x.io", "v1", "cars"), made);
  assert.equal(catalog.epoch, epoch);
  commit({
    ...definitions.get("cars.x.io")!,
    metadata: { name: "cars.x.io", uid: "1", generation: 2 },
  });
  assert.notEqual(catalog.find("x.io", "v1", "cars"), made);
});

test("a definition is served before it says that it is established", async () => {
  const { start, commit, catalog, definitions, log, runtime } = setUp();
  await start();
  commit(cars());
  assert.equal(catalog.find("x.io", "v1", "cars"), undefined);
  await runtime.advance(1000);
  assert.ok(catalog.find("x.io", "v1", "cars"));
  assert.deepEqual(conditionsOf(definitionOf(definitions.get("cars.x.io")!)), [
    "NamesAccepted=True NoConflicts",
    "Established=True InitialNamesAccepted",
  ]);
  assert.deepEqual(log, ["GET ", "PUT /cars.x.io/status", "PUT /cars.x.io/status"]);
});

test("a deleted definition takes its instances along", async () => {
  const { start, commit, catalog, definitions, instances, runtime } = setUp();
  await start();
  commit(cars());
  await runtime.advance(1000);
  instances.add("a").add("b");
  commit({
    ...definitions.get("cars.x.io")!,
    metadata: {
      name: "cars.x.io",
      deletionTimestamp: "2026-01-01T00:00:00Z",
      finalizers: ["customresourcecleanup.apiextensions.k8s.io"],
    },
  });
  await runtime.advance(1000);
  assert.deepEqual([instances.size, definitions.size, catalog.all()], [0, 0, []]);
});

test("the committed object is kept, whatever its owner does to it afterwards", async () => {
  const { start, controller, definitions, runtime } = setUp();
  await start();
  const object = cars();
  controller.committed(object, null);
  (object["spec"] as JsonObject)["group"] = "y.io";
  await runtime.advance(1000);
  assert.equal(definitionOf(definitions.get("cars.x.io")!).spec.group, "x.io");
});

test("a definition that waits for names accepts them when their owner is deleted", async () => {
  const { start, commit, definitions, runtime } = setUp();
  await start();
  commit(cars());
  await runtime.advance(1000);
  commit({
    ...cars({ metadata: { name: "autos.x.io" } }),
    spec: {
      ...(cars()["spec"] as JsonObject),
      names: { plural: "autos", singular: "car", kind: "Auto", listKind: "AutoList" },
    },
  });
  await runtime.advance(1000);
  const waiting = (): string[] => conditionsOf(definitionOf(definitions.get("autos.x.io")!));
  assert.deepEqual(waiting(), [
    "NamesAccepted=False SingularConflict",
    "Established=False NotAccepted",
  ]);
  commit(cars({ metadata: { name: "cars.x.io", deletionTimestamp: "2026-01-01T00:00:00Z" } }));
  await runtime.advance(1000);
  assert.deepEqual(waiting(), [
    "NamesAccepted=True NoConflicts",
    "Established=True InitialNamesAccepted",
  ]);
});

test("stored definitions are served from the start", async () => {
  const { start, catalog, definitions } = setUp();
  definitions.set(
    "cars.x.io",
    cars({ status: { conditions: [{ type: "Established", status: "True" }] } }),
  );
  await start();
  assert.ok(catalog.find("x.io", "v1", "cars"));
});

test("a definition that keeps failing is reported once", async () => {
  const controller = createCrdController();
  const runtime = createVirtualRuntime({ seed: 1 });
  const told: string[] = [];
  const handler = async ({ method }: ApiRequest): Promise<ApiResponse> => {
    if (method !== "GET") throw new Error("disk full");
    return { status: 200, headers: {}, body: encodeJsonBytes({ items: [] }) };
  };
  await controller.start({
    loopback: createLoopbackClient(handler),
    runtime,
    catalog: createCatalog([]),
    createResources: () => [],
    openWatches: () => () => undefined,
    warn: (message) => told.push(message),
  });
  controller.committed(cars(), null);
  await runtime.advance(120_000);
  await controller.stop();
  assert.deepEqual(told, ["CustomResourceDefinition cars.x.io cannot be reconciled: disk full"]);
});
