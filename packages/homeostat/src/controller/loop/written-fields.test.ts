import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { comparedFields, differingFields, writtenFields } from "./written-fields.ts";

const ours = "laws/box";
const spec = (...names: string[]) => ({
  "f:spec": Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
});
function object(values: object, managedFields: readonly object[], status = {}): KubeObject {
  return { metadata: { name: "a", managedFields }, spec: values, status } as never;
}

test("the fields of a manager and its sets, and no others, without times", () => {
  const conditions = [{ type: "Ready", status: "True", lastTransitionTime: "now" }];
  const fields = { "f:status": { "f:conditions": {} } };
  const one = object(
    { a: 1, b: 2, c: 3 },
    [
      { manager: ours, fieldsV1: spec("a") },
      { manager: `${ours}/set`, fieldsV1: spec("b") },
      { manager: `${ours}er`, fieldsV1: spec("c") },
      { manager: ours, subresource: "status", fieldsV1: fields },
    ],
    { conditions },
  );
  assert.deepEqual(writtenFields(one, ours), {
    spec: { a: 1, b: 2 },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
  const other = object({ a: 5, c: 3 }, []);
  assert.deepEqual(writtenFields(one, ours, other), { spec: { a: 5 }, status: {} });
});

test("a write with another field manager compares by all that users set", () => {
  const one = object({ a: 1 }, [{ manager: "op", fieldsV1: spec("a") }], { n: 1 });
  const metadata = { labels: {}, annotations: {}, finalizers: [] };
  assert.deepEqual(comparedFields(one, ours), { metadata, spec: { a: 1 }, status: { n: 1 } });
  const labels = { a: "b" };
  const finalizers = ["x/y"];
  const set = { metadata: { name: "a", uid: "u", labels, finalizers }, spec: { a: 1 } } as never;
  assert.deepEqual(comparedFields(set, ours), {
    metadata: { labels, annotations: {}, finalizers },
    spec: { a: 1 },
  });
  const own = object({ a: 1, b: 2 }, [{ manager: ours, fieldsV1: spec("a") }]);
  assert.deepEqual(comparedFields(own, ours), { spec: { a: 1 } });
});

test("fields differ by value; what only the other side has does not count", () => {
  assert.deepEqual(differingFields({ a: { b: 1, c: [1] } }, { a: { b: 2, c: [1], d: 1 } }), [
    "a.b",
  ]);
  assert.deepEqual(differingFields({ a: { b: 1 }, e: 1 }, {}), ["a", "e"]);
});
