import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../api/json.ts";
import { createSaid, nextStatus, type Said, sayStatus } from "./status-intent.ts";

const now = "2026-11-21T18:00:00Z";
const facts = (prior: JsonObject = {}) => ({ prior, generation: 3, now, tracksGeneration: true });

function say(
  fields: Record<string, unknown>,
  conditions: readonly [string, "True" | "False", string][] = [],
): Said {
  const said = createSaid();
  sayStatus(said, fields);
  for (const [type, status, reason] of conditions)
    said.conditions.set(type, { type, status, reason, message: "" });
  return said;
}

test("nothing said is nothing written", () => {
  assert.equal(nextStatus(createSaid(), facts({ cooked: 1 })), undefined);
});

test("what was said before and not now is kept, undefined clears, the rest is set", () => {
  assert.deepEqual(
    nextStatus(say({ cooked: 2, note: undefined }), facts({ cooked: 1, note: "x", dishes: 4 })),
    { cooked: 2, dishes: 4, observedGeneration: 3 },
  );
});

test("the same again is not written", () => {
  const first = nextStatus(say({ cooked: 2 }, [["Ready", "False", "Cooking"]]), facts())!;
  assert.equal(
    nextStatus(say({ cooked: 2 }, [["Ready", "False", "Cooking"]]), {
      ...facts(first),
      now: "2026-11-21T19:00:00Z",
    }),
    undefined,
  );
});

test("lastTransitionTime moves with the status and not with the reason", () => {
  const before = nextStatus(say({}, [["Ready", "False", "Cooking"]]), facts())!;
  const later = { ...facts(before), now: "2026-11-21T19:00:00Z" };
  const reason = nextStatus(say({}, [["Ready", "False", "Waiting"]]), later)!;
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
  const status = nextStatus(say({}, [["Ready", "True", "Served"]]), later)!;
  assert.equal(
    (status["conditions"] as JsonObject[])[0]!["lastTransitionTime"],
    "2026-11-21T19:00:00Z",
  );
});

test("conditions keep their order, new ones follow", () => {
  const before = nextStatus(
    say({}, [
      ["B", "True", "X"],
      ["A", "True", "X"],
    ]),
    facts(),
  )!;
  const after = nextStatus(
    say({}, [
      ["C", "True", "X"],
      ["A", "False", "X"],
    ]),
    facts(before),
  )!;
  assert.deepEqual(
    (after["conditions"] as JsonObject[]).map((one) => one["type"]),
    ["B", "A", "C"],
  );
});

test("values are copied when they are said", () => {
  const list = ["a"];
  const said = say({ list });
  list.push("b");
  assert.deepEqual(nextStatus(said, facts())!["list"], ["a"]);
});

test("an object or an associative list that loses its last item is left out, an atomic list is not", () => {
  const schema = {
    properties: {
      set: { "x-kubernetes-list-type": "set" as const },
      list: { type: "array" as const },
      map: { type: "object" as const },
    },
  };
  assert.deepEqual(
    nextStatus(say({ map: {}, set: [], list: [], deep: { inner: {} } }), {
      ...facts({ map: { a: 1 }, set: ["x"], list: ["x"] }),
      schema,
    }),
    { list: [], observedGeneration: 3 },
  );
});
