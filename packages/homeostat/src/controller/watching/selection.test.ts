import assert from "node:assert/strict";
import { test } from "node:test";
import { compileSelection, matchesSelection, type Selection } from "./selection.ts";

const object = {
  metadata: { name: "a", labels: { app: "web" } },
  spec: { host: "h", port: 80, isOn: false, nothing: null, list: [1], map: { a: "b" } },
} as never;
const matches = (selection: Selection): boolean =>
  matchesSelection(compileSelection(selection), () => object);

test("fields are compared as text, by path; what is missing is empty", () => {
  const cases: readonly [string, string][] = [
    ["spec.host", "h"],
    [".spec.host", "h"],
    ["metadata.name", "a"],
    ["spec.port", "80"],
    ["spec.isOn", "false"],
    ["spec.nothing", ""],
    ["spec.missing", ""],
    ["spec.host.deeper", ""],
    ["spec.toString", ""],
    ["spec.list", "[1]"],
    ["spec.map", '{"a":"b"}'],
  ];
  for (const [field, value] of cases) {
    assert.equal(matches({ fields: { [field]: value } }), true, field);
    assert.equal(matches({ fields: { [field]: `${value}x` } }), false, field);
  }
  assert.equal(matches({ fields: "spec.host=h,spec.port!=81" }), true);
});

test("labels are exact values, a LabelSelector, or text; all of a selection must match", () => {
  assert.equal(matches({ labels: { app: "web" } }), true);
  assert.equal(matches({ labels: { app: "db" } }), false);
  assert.equal(matches({ labels: "app in (web,db)" }), true);
  const query = (operator: string, values: readonly string[] = []) => ({
    matchLabels: { app: "web" },
    matchExpressions: [{ key: "app", operator, values }],
  });
  assert.equal(matches({ labels: query("In", ["db", "web"]) }), true);
  assert.equal(matches({ labels: query("NotIn", ["web"]) }), false);
  assert.equal(matches({ labels: query("Exists") }), true);
  assert.equal(matches({ labels: query("DoesNotExist") }), false);
  assert.equal(matches({ labels: { matchLabels: { app: "db" } } }), false);
  assert.equal(matches({ labels: { app: "web" }, fields: { "spec.host": "other" } }), false);
  assert.equal(matches({ labels: {} }), true);
});

test("equal selections have one id, however they are written", () => {
  const ids = [
    { labels: { a: "b", c: "d" }, namespace: "n" },
    { labels: { matchLabels: { a: "b", c: "d" } }, namespace: "n" },
    { labels: "a=b,c=d", namespace: "n" },
  ].map((one) => compileSelection(one).id);
  assert.equal(new Set(ids).size, 1);
  assert.notEqual(compileSelection({ labels: "a=b,c=d" }).id, ids[0]);
  assert.equal(
    compileSelection({ namespace: undefined }).id,
    compileSelection({ namespace: "" }).id,
  );
});

test("labels and fields that are no values are refused, and select not all objects", () => {
  for (const wrong of [null, 5, true, ["a"]] as readonly any[])
    for (const selection of [{ labels: wrong }, { fields: wrong }])
      assert.throws(() => compileSelection(selection), {
        code: "ERR_WATCH_SELECTION",
        message: /selecting objects: (labels|fields) is .*, expected values by name/,
      });
});
