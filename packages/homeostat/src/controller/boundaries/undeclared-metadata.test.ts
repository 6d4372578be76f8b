import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { Breaches } from "./breaches.ts";
import { observeByAccessors } from "./observe-by-accessors.ts";
import { createMetadataObserver } from "./undeclared-metadata.ts";

const named = (name: string): KubeObject =>
  ({ kind: "Box", metadata: { name, namespace: "n", uid: name, labels: { tier: name } } }) as never;

test("an object is the same however often and in whatever list a run reads it", () => {
  const [own, other] = [named("a"), named("b")];
  const found: string[] = [];
  const definition = {
    name: "box",
    kind: { kind: "Box" },
    signals: [],
    reads: {},
    refs: {},
    watches: {},
  };
  const run = {
    definition: definition as never,
    names: { managers: [] } as never,
    object: own,
    breaches: new Breaches("box", (_, { message }) => void found.push(message)),
  };
  for (const observeMap of [undefined, observeByAccessors]) {
    const observe = createMetadataObserver({ ...run, ...(observeMap ? { observeMap } : {}) });
    const [first, second] = observe([own, other]);
    assert.equal(observe(own), first);
    assert.equal(observe([other])[0], second);
    assert.notEqual(first, own);
    const many = Array.from({ length: 150 }, (_, i) => named(`c${i}`));
    const last = observe(many).at(-1);
    assert.equal(observe(many.at(-1)), last);
    assert.equal(last === many.at(-1), observeMap !== undefined, "samples leave the rest out");
    assert.deepEqual({ ...first }, own);
  }
  const observe = createMetadataObserver(run);
  assert.equal(observe(other).metadata.labels?.["tier"], "b");
  assert.equal(found.length, 1);
});
