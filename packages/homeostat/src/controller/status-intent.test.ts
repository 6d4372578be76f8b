import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../api/json.ts";
import {
  createStatusIntent,
  nextStatus,
  type StatusIntent,
  setStatusFields,
} from "./status-intent.ts";

const now = "2026-11-21T18:00:00Z";
const contextOf = (prior: JsonObject = {}) => ({
  prior,
  generation: 3,
  now,
  tracksGeneration: true,
});

function intentOf(
  fields: Record<string, unknown>,
  conditions: readonly [string, "True" | "False", string][] = [],
): StatusIntent {
  const intent = createStatusIntent();
  setStatusFields(intent, fields);
  for (const [type, status, reason] of conditions)
    intent.conditions.set(type, { type, status, reason, message: "" });
  return intent;
}

test("an empty intent writes nothing", () => {
  assert.equal(nextStatus(createStatusIntent(), contextOf({ cooked: 1 })), undefined);
});

test("keeps fields that are not set again, clears those set to undefined, sets the rest", () => {
  assert.deepEqual(
    nextStatus(
      intentOf({ cooked: 2, note: undefined }),
      contextOf({ cooked: 1, note: "x", dishes: 4 }),
    ),
    { cooked: 2, dishes: 4, observedGeneration: 3 },
  );
});

test("does not write an unchanged status", () => {
  const first = nextStatus(intentOf({ cooked: 2 }, [["Ready", "False", "Cooking"]]), contextOf())!;
  assert.equal(
    nextStatus(intentOf({ cooked: 2 }, [["Ready", "False", "Cooking"]]), {
      ...contextOf(first),
      now: "2026-11-21T19:00:00Z",
    }),
    undefined,
  );
});

test("lastTransitionTime changes with the status, not with the reason", () => {
  const before = nextStatus(intentOf({}, [["Ready", "False", "Cooking"]]), contextOf())!;
  const later = { ...contextOf(before), now: "2026-11-21T19:00:00Z" };
  const reason = nextStatus(intentOf({}, [["Ready", "False", "Waiting"]]), later)!;
  assert.deepEqual(reason["conditions"], [
    {
      type: "Ready",
      status: "False",
      reason: "Waiting",
      message: "",
      lastTransitionTime: now,
      observedGeneration: 3,
    },
  ]);
  const status = nextStatus(intentOf({}, [["Ready", "True", "Served"]]), later)!;
  assert.equal(
    (status["conditions"] as JsonObject[])[0]!["lastTransitionTime"],
    "2026-11-21T19:00:00Z",
  );
});

test("conditions keep their order; new ones follow", () => {
  const before = nextStatus(
    intentOf({}, [
      ["B", "True", "X"],
      ["A", "True", "X"],
    ]),
    contextOf(),
  )!;
  const after = nextStatus(
    intentOf({}, [
      ["C", "True", "X"],
      ["A", "False", "X"],
    ]),
    contextOf(before),
  )!;
  assert.deepEqual(
    (after["conditions"] as JsonObject[]).map((one) => one["type"]),
    ["B", "A", "C"],
  );
});

test("copies values when they are set", () => {
  const list = ["a"];
  const intent = intentOf({ list });
  list.push("b");
  assert.deepEqual(nextStatus(intent, contextOf())!["list"], ["a"]);
});

test("omits empty objects and empty associative lists, keeps empty atomic lists", () => {
  const schema = {
    properties: {
      set: { "x-kubernetes-list-type": "set" as const },
      list: { type: "array" as const },
      map: { type: "object" as const },
    },
  };
  assert.deepEqual(
    nextStatus(intentOf({ map: {}, set: [], list: [], deep: { inner: {} } }), {
      ...contextOf({ map: { a: 1 }, set: ["x"], list: ["x"] }),
      schema,
    }),
    { list: [], observedGeneration: 3 },
  );
});

test("writes no observedGeneration where it is not tracked, not known, or set by hand", () => {
  const next = (fields: object, more: object) =>
    nextStatus(intentOf(fields as Record<string, unknown>), { ...contextOf(), ...more });
  assert.deepEqual(next({ cooked: 1 }, { tracksGeneration: false }), { cooked: 1 });
  assert.deepEqual(next({ cooked: 1 }, { generation: undefined }), { cooked: 1 });
  const byHand = { cooked: 1, observedGeneration: 2 };
  assert.deepEqual(next(byHand, {}), byHand);
});
