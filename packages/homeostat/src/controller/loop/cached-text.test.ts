import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { CachedObject } from "../../cache/informer.ts";
import { cachedText } from "./cached-text.ts";

const box = { apiVersion: "x/v1", kind: "Box" } as Kind;
const entry = { resourceVersion: "7", text: "{}" } as CachedObject;
const informer = {
  kind: box,
  entry: (key: string) => (key === "ns/a" ? entry : undefined),
} as never;
const write = (kind: Kind, name: string, resourceVersion: string) => ({
  kind,
  key: { namespace: "ns", name },
  object: { metadata: { resourceVersion } },
});

test("the cached text is that of the written revision of the written object, or none", () => {
  assert.equal(cachedText(informer, write(box, "a", "7")), "{}");
  assert.equal(cachedText(informer, write(box, "a", "8")), undefined);
  assert.equal(cachedText(informer, write(box, "b", "7")), undefined);
  assert.equal(cachedText(informer, write({ ...box, kind: "Part" }, "a", "7")), undefined);
});
