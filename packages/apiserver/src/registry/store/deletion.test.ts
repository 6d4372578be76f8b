import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { DeleteOptions } from "../../apimachinery/rest/delete-options.ts";
import type { Strategy } from "../../apimachinery/rest/strategy.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";
import { widgets } from "../testdata/widgets.ts";
import { planDeletion } from "./deletion.ts";

const now = Date.parse("2026-01-01T00:00:00Z");
const context: WriteContext = {
  user: "u",
  dryRun: false,
  subresource: "",
  now: "2026-01-01T00:00:00Z",
  warn() {},
};
const none: DeleteOptions = {
  gracePeriodSeconds: undefined,
  uid: undefined,
  resourceVersion: undefined,
  orphanDependents: undefined,
  propagationPolicy: undefined,
  dryRun: false,
};
const graceful: Strategy = { ...widgets.strategy, gracePeriod: (_, requested) => requested ?? 30 };
const plan = (
  metadata: JsonObject,
  options: Partial<DeleteOptions> = {},
  strategy: Strategy = widgets.strategy,
): unknown => {
  const result = planDeletion(
    strategy,
    { metadata },
    { ...none, ...options },
    { context, nowMs: now },
  );
  return "hub" in result ? [result.at, result.hub.metadata] : result.at;
};

test("without finalizers or grace period an object is deleted at once", () => {
  assert.equal(plan({ name: "a", generation: 3 }), "remove");
  assert.equal(plan({ name: "a", finalizers: [] }), "remove");
});

test("a finalizer marks it once, and raises the generation", () => {
  const marked = {
    generation: 4,
    finalizers: ["f"],
    deletionTimestamp: "2026-01-01T00:00:00Z",
    deletionGracePeriodSeconds: 0,
  };
  assert.deepEqual(plan({ generation: 3, finalizers: ["f"] }), ["mark", marked]);
  assert.equal(plan({ ...marked }), "unchanged");
});

test("the argument is left alone", () => {
  const object: JsonObject = { metadata: { finalizers: ["f"] } };
  planDeletion(widgets.strategy, object, none, { context, nowMs: now });
  assert.deepEqual(object, { metadata: { finalizers: ["f"] } });
});

test("a grace period is counted from now, can be shortened, and never prolonged", () => {
  const running = { deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 };
  assert.deepEqual(plan({}, {}, graceful), ["mark", running]);
  assert.equal(plan({ ...running }, { gracePeriodSeconds: 60 }, graceful), "pending");
  assert.equal(plan({ ...running }, {}, graceful), "pending");
  assert.deepEqual(plan({ ...running }, { gracePeriodSeconds: 5 }, graceful), [
    "mark",
    { deletionTimestamp: "2026-01-01T00:00:05Z", deletionGracePeriodSeconds: 5 },
  ]);
  assert.deepEqual(plan({ ...running }, { gracePeriodSeconds: 0 }, graceful), [
    "mark, then remove",
    { deletionTimestamp: "2026-01-01T00:00:00Z", deletionGracePeriodSeconds: 0 },
  ]);
  assert.deepEqual(plan({}, { gracePeriodSeconds: -7 }, graceful), [
    "mark",
    { deletionTimestamp: "2026-01-01T00:00:01Z", deletionGracePeriodSeconds: 1 },
  ]);
});

test("a kind may delay the deletion of its objects", () => {
  const held: Strategy = {
    ...widgets.strategy,
    deletion: { holds: () => true, mark: (object) => void (object.phase = "Terminating") },
  };
  const result = planDeletion(held, { metadata: {} }, none, { context, nowMs: now });
  assert.deepEqual("hub" in result && [result.at, result.hub.phase], ["mark", "Terminating"]);
  const first = planDeletion(
    held,
    { metadata: { finalizers: ["a.io/b", "orphan"] } },
    { ...none, orphanDependents: false },
    { context, nowMs: now },
  );
  assert.deepEqual("hub" in first && first.hub.metadata, {
    finalizers: ["a.io/b", "foregroundDeletion"],
  });
  const deleting = { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } };
  assert.deepEqual(
    planDeletion(
      held,
      deleting,
      { ...none, propagationPolicy: "Foreground" },
      { context, nowMs: now },
    ),
    { at: "pending" },
  );
  assert.deepEqual(
    planDeletion({ ...held, deletion: { ...held.deletion!, holds: () => false } }, deleting, none, {
      context,
      nowMs: now,
    }),
    { at: "remove" },
  );
});
