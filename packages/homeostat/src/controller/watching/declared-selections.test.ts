import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { isHomeostatError } from "../../util/homeostat-error.ts";
import { defineController, definitionOf } from "../define-controller.ts";
import { all } from "./all.ts";
import { declaredSelections } from "./declared-selections.ts";

const kindOf = (kind: string, scope: Kind["scope"] = "Namespaced"): Kind =>
  ({ apiVersion: "x/v1", kind, resource: `${kind.toLowerCase()}s`, scope }) as Kind;
const Box = kindOf("Box");
const Part = kindOf("Part");
const source = { metadata: { name: "a", namespace: "n" } } as never;

const selectionsOf = (watch: ReturnType<typeof all>) => {
  const definition = definitionOf(
    defineController(Box, { watches: { parts: watch as never }, reconcile() {} }),
  );
  const [declared] = declaredSelections(definition);
  assert.equal(declared!.title, "watch parts");
  return declared!.selectionsOf(source);
};

test("a function that returns undefined selects nothing; one of the namespace selects all", () => {
  assert.deepEqual(selectionsOf(all(Part, { labels: () => undefined })), []);
  assert.deepEqual(selectionsOf(all(Part, { fields: () => undefined })), []);
  const [everywhere] = selectionsOf(all(Part, { namespace: () => undefined }));
  assert.equal(everywhere!.namespace, undefined);
  const [own] = selectionsOf(all(Part, { namespace: ({ metadata }: any) => metadata.namespace }));
  assert.equal(own!.namespace, "n");
  assert.equal(selectionsOf(all(Part)).length, 1);
});

test("a promise is refused by the name of its part, and its rejection ends no process", async () => {
  const unhandled: unknown[] = [];
  const record = (error: unknown): void => void unhandled.push(error);
  process.on("unhandledRejection", record);
  const labels = () => Promise.reject(new Error("lost"));
  assert.throws(
    () => selectionsOf(all(Part, { labels: labels as never })),
    (error) =>
      isHomeostatError(error, "ERR_WATCH_SELECTION") &&
      /watching Part: `labels` of n\/a is a promise/.test(error.message),
  );
  const fixed = labels() as never;
  assert.throws(() => selectionsOf(all(Part, { labels: fixed })), /`labels` of n\/a is a promise/);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", record);
  assert.deepEqual(unhandled, []);
});

test("a cluster-scoped kind has no namespace, and a wrong selector is refused at once", () => {
  const Node = kindOf("Node", "Cluster");
  assert.throws(() => all(Node, { namespace: "n" }), /Node: it is cluster-scoped/);
  assert.throws(() => all(Part, { labels: "a in" }));
  const matchExpressions = [{ key: "a", operator: "Near" }];
  assert.throws(
    () => all(Part, { labels: { matchExpressions } }),
    /"Near" is not a valid label selector operator/,
  );
});
