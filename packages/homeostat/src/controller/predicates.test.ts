import assert from "node:assert/strict";
import { test } from "node:test";
import { toEntry } from "../cache/cached-entry.ts";
import { entryShape } from "../cache/entry-shape.suite.ts";
import {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
} from "./predicates.ts";

const shape = entryShape({ kind: "Box" });

function entry(metadata: object) {
  const whole = { metadata: { name: "a", managedFields: [{}], ...metadata }, spec: {} };
  return toEntry(new TextEncoder().encode(JSON.stringify(whole)), shape);
}
const changed = (predicate: Predicate, before: object, after: object): boolean => {
  const [old, object] = [entry(before), entry(after)];
  const result = predicate(old, object);
  assert.deepEqual([old.parsed, object.parsed], [false, false], "nothing is parsed");
  return result;
};

test("a predicate sees its part of the metadata, and only that", () => {
  const parts = {
    generation: [{ generation: 1 }, { generation: 2 }],
    labels: [{ labels: { a: "ü" } }, { labels: { a: "ö" } }],
    newLabels: [{}, { labels: { a: "1" } }],
    annotations: [{ annotations: { a: "1" } }, { annotations: { a: "2" } }],
    lostAnnotations: [{ annotations: { a: "1" } }, {}],
    revision: [{ resourceVersion: "1" }, { resourceVersion: "2" }],
  } as const;
  const seen = (predicate: Predicate): readonly string[] =>
    Object.entries(parts).flatMap(([name, [before, after]]) =>
      changed(predicate, before, after) ? [name] : [],
    );
  assert.deepEqual(seen(generationChanged), ["generation"]);
  assert.deepEqual(seen(labelsChanged), ["labels", "newLabels"]);
  assert.deepEqual(seen(annotationsChanged), ["annotations", "lostAnnotations"]);
  assert.deepEqual(seen(or(generationChanged, labelsChanged)), [
    "generation",
    "labels",
    "newLabels",
  ]);
  assert.deepEqual(seen(and(labelsChanged, not(generationChanged))), ["labels", "newLabels"]);
  assert.deepEqual(seen(and(labelsChanged, generationChanged)), []);
});
