import assert from "node:assert/strict";
import { test } from "node:test";
import type { CachedObject } from "../cache/informer.ts";
import { Pauses } from "./pauses.ts";

const annotated = (annotations?: object): CachedObject =>
  ({
    key: "ns/a",
    metadataText: (field: string) =>
      field === "annotations" && annotations ? JSON.stringify(annotations) : "",
  }) as CachedObject;

test("an annotation pauses, unless it says false", () => {
  const pauses = new Pauses();
  const paused = "the removal of annotation homeostat.dev/paused";
  for (const [annotations, what] of [
    [{ "homeostat.dev/paused": "true" }, paused],
    [{ "homeostat.dev/paused": "" }, paused],
    [{ "homeostat.dev/paused": "false" }, undefined],
    [{ note: "homeostat.dev/paused" }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ] as const)
    assert.equal(pauses.waitsFor(annotated(annotations)), what, JSON.stringify(annotations));
});

test("a key is paused until it is resumed", () => {
  const pauses = new Pauses();
  pauses.pause("ns/a");
  assert.equal(pauses.waitsFor(annotated()), "resume()");
  assert.equal(pauses.resume("ns/b"), false);
  assert.equal(pauses.resume("ns/a"), true);
  assert.equal(pauses.waitsFor(annotated()), undefined);
  assert.equal(pauses.resume("ns/a"), false);
});
