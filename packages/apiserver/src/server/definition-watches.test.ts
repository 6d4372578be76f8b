// Watches of custom resources end a second after their definition changed or went, so that clients
// ask again under the new one. Upstream: tearDown of
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import type { JsonObject } from "homeostat/api";
import { isStream } from "../apimachinery/handler.ts";
import { createTestPlane } from "./testdata/test-plane.ts";

const root = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const cars = "/apis/x.io/v1/namespaces/default/cars";
const schema = (properties: JsonObject): JsonObject => ({
  openAPIV3Schema: { type: "object", properties },
});
const definition: JsonObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "cars.x.io" },
  spec: {
    group: "x.io",
    scope: "Namespaced",
    names: { plural: "cars", kind: "Car" },
    versions: [{ name: "v1", served: true, storage: true, schema: schema({}) }],
  },
};

async function setUp(t: TestContext) {
  const plane = await createTestPlane();
  t.after(() => plane.close());
  const { runtime, send: ask } = plane;
  const watch = async (path: string) => {
    const { body } = await ask("GET", `${path}?watch=1`);
    assert.ok(isStream(body));
    const seen = { types: [] as string[], ended: false };
    body.open({
      data(chunk) {
        for (const line of new TextDecoder().decode(chunk).split("\n").filter(Boolean))
          seen.types.push((JSON.parse(line) as { type: string }).type);
        return true;
      },
      end: () => void (seen.ended = true),
    });
    return seen;
  };
  assert.equal((await ask("POST", root, definition)).status, 201);
  await runtime.advance(100);
  const car = { apiVersion: "x.io/v1", kind: "Car", metadata: { name: "a" } };
  assert.equal((await ask("POST", cars, car)).status, 201);
  return { runtime, ask, watch };
}

test("a change of the definition ends the watches that were open, and no later one", async (t) => {
  const { runtime, ask, watch } = await setUp(t);
  const before = await watch(cars);
  const merge = "application/merge-patch+json";
  const labels = { metadata: { labels: { a: "b" } } };
  assert.equal((await ask("PATCH", `${root}/cars.x.io`, labels, merge)).status, 200);
  await runtime.advance(5000);
  assert.equal(before.ended, false, "labels do not change what is served");
  const versions = [
    { name: "v1", served: true, storage: true, schema: schema({ spec: { type: "object" } }) },
  ];
  assert.equal(
    (await ask("PATCH", `${root}/cars.x.io`, { spec: { versions } }, merge)).status,
    200,
  );
  await runtime.advance(500);
  const after = await watch(cars);
  assert.equal(before.ended, false);
  await runtime.advance(5000);
  assert.deepEqual([before.ended, after.ended], [true, false]);
});

test("watches see their objects deleted with the definition, then end", async (t) => {
  const { runtime, ask, watch } = await setUp(t);
  const seen = await watch(cars);
  assert.equal((await ask("DELETE", `${root}/cars.x.io`)).status, 200);
  for (let turn = 0; turn < 10; turn++) await runtime.advance(50);
  assert.equal((await ask("GET", cars)).status, 404);
  assert.deepEqual(seen, { types: ["ADDED", "DELETED"], ended: false });
  await runtime.advance(5000);
  assert.equal(seen.ended, true);
});
