// Conditions of a namespace that goes: the words, the order, the dates.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { NamespaceCondition } from "homeostat/k8s/core/v1";
import { type ContentReport, reportContent } from "./namespace-conditions.ts";

const empty: ContentReport = { failures: [], remaining: new Map(), finalizers: new Map() };
const report = (
  more: Partial<ContentReport>,
  before: readonly NamespaceCondition[] = [],
  now = "later",
): readonly NamespaceCondition[] | undefined => reportContent({ ...empty, ...more }, before, now);
const only = (
  conditions: readonly NamespaceCondition[] | undefined,
  status: string,
): readonly string[] =>
  (conditions ?? [])
    .filter((one) => one.status === status)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);

describe("what a namespace says of its end", () => {
  test("is five conditions, also when all is well", () => {
    const conditions = report({});
    assert.deepEqual(only(conditions, "True"), []);
    assert.deepEqual(only(conditions, "False"), [
      "NamespaceDeletionDiscoveryFailure ResourcesDiscovered: All resources successfully discovered",
      "NamespaceDeletionGroupVersionParsingFailure ParsedGroupVersions: All legacy kube types successfully parsed",
      "NamespaceDeletionContentFailure ContentDeleted: All content successfully deleted, may be waiting on finalization",
      "NamespaceContentRemaining ContentRemoved: All content successfully removed",
      "NamespaceFinalizersRemaining ContentHasNoFinalizers: All content-preserving finalizers finished",
    ]);
    assert.ok(conditions?.every(({ lastTransitionTime }) => lastTransitionTime === "later"));
  });

  test("counts what is left, in order", () => {
    const conditions = report({
      remaining: new Map([
        ["pods.", 2],
        ["meals.kitchen.example.com", 1],
      ]),
      finalizers: new Map([
        ["z/z", 1],
        ["a/a", 3],
      ]),
    });
    assert.deepEqual(only(conditions, "True"), [
      "NamespaceContentRemaining SomeResourcesRemain: Some resources are remaining: meals.kitchen.example.com has 1 resource instances, pods. has 2 resource instances",
      "NamespaceFinalizersRemaining SomeFinalizersRemain: Some content in the namespace has finalizers remaining: a/a in 3 resource instances, z/z in 1 resource instances",
    ]);
  });

  test("names what failed", () => {
    assert.deepEqual(only(report({ failures: ["second", "first"] }), "True"), [
      "NamespaceDeletionContentFailure ContentDeletionFailed: Failed to delete all resource types, 2 remaining: first, second",
    ]);
    assert.deepEqual(only(report({ discoveryError: "the server is away" }), "True"), [
      "NamespaceDeletionDiscoveryFailure DiscoveryFailed: the server is away",
    ]);
  });

  test("is not written again when nothing changed", () =>
    assert.equal(report({}, report({}, [], "once")), undefined));

  test("keeps its date while the status stays, whatever the words", () => {
    const before = report({ failures: ["a"] }, [], "once")!;
    const worse = report({ failures: ["a", "b"] }, before)!;
    assert.deepEqual(
      worse.map(({ lastTransitionTime }) => lastTransitionTime),
      before.map(() => "once"),
    );
    assert.match(worse[2]!.message ?? "", /2 remaining: a, b$/);
    const well = report({}, worse)!;
    assert.deepEqual(
      well.map(({ lastTransitionTime }) => lastTransitionTime),
      ["once", "once", "later", "once", "once"],
    );
  });

  test("leaves the conditions of others where they are", () => {
    const other: NamespaceCondition = {
      type: "Other",
      status: "True",
      reason: "R",
      message: "M",
      lastTransitionTime: "once",
    };
    const conditions = report({}, [other]);
    assert.equal(conditions?.[0], other);
    assert.equal(conditions?.length, 6);
  });
});
