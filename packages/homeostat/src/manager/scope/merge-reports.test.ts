import assert from "node:assert/strict";
import { test } from "node:test";
import type { Comparison, Freshness, InformerStats } from "../../cache/index.ts";
import { mergeComparisons, mergeFreshness, mergeStats } from "./merge-reports.ts";

const fresh = (more: Partial<Freshness> = {}): Freshness => ({
  ready: true,
  reason: "",
  isServed: true,
  isAllowed: true,
  phase: "watching",
  synced: true,
  lastContact: 10,
  resourceVersion: "5",
  relists: 1,
  restarts: 0,
  failures: 0,
  ...more,
});
const merged = (...parts: readonly Partial<Freshness>[]): Freshness =>
  mergeFreshness(
    parts.map((part, index) => ({ namespace: `n${index + 1}`, freshness: fresh(part) })),
  );

test("several namespaces are as fresh as the worst of them", () => {
  const late = { ready: false, reason: "behind", phase: "backoff", lastError: "refused" } as const;
  assert.deepEqual(merged({ lastContact: 30 }, { ...late, lastContact: 20, failures: 2 }), {
    ...fresh(late),
    reason: "namespace n2: behind",
    lastContact: 20,
    resourceVersion: undefined,
    relists: 2,
    failures: 2,
  });
  assert.equal(merged({}, { synced: false }).synced, false);
  assert.equal(merged({}, { isServed: false }).isServed, false);
  assert.equal(merged({}, { isAllowed: false }).isAllowed, false);
  assert.equal(merged({}, {}).ready, true);
  assert.equal(merged({}, {}).reason, "");
});

test("one namespace keeps its revision; one without contact leaves none", () => {
  assert.deepEqual(merged({}), fresh());
  assert.equal(merged({}, { lastContact: undefined }).lastContact, undefined);
  assert.equal("lastError" in merged({}, { lastError: "an error of a ready one" }), false);
});

test("no namespace is ready, and has had no contact", () => {
  assert.deepEqual(merged(), {
    ...fresh({ phase: "idle", lastContact: undefined, resourceVersion: undefined, relists: 0 }),
  });
});

test("counts are added up", () => {
  const stats = (n: number): InformerStats => ({
    objects: n,
    bytes: n * 2,
    parsed: n * 3,
    parsedBytes: n * 4,
    ownWrites: n * 5,
    skipped: n * 6,
  });
  assert.deepEqual(mergeStats([stats(1), stats(10)]), stats(11));
});

test("a comparison is conclusive when all are, and shows ten keys of each difference", () => {
  const keys = (of: string): string[] => Array.from({ length: 7 }, (_, index) => `${of}/${index}`);
  const comparison = (of: string, conclusive = true): Comparison => ({
    conclusive,
    compared: 8,
    missing: keys(`${of}-missing`),
    extra: keys(`${of}-extra`),
    different: keys(`${of}-different`),
  });
  const both = mergeComparisons([comparison("a"), comparison("b")]);
  assert.equal(both.conclusive, true);
  assert.equal(both.compared, 16);
  for (const part of ["missing", "extra", "different"] as const)
    assert.deepEqual(both[part], [...keys(`a-${part}`), ...keys(`b-${part}`).slice(0, 3)]);
  assert.equal(mergeComparisons([comparison("a"), comparison("b", false)]).conclusive, false);
});
