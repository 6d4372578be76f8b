// Messages print lists and maps that a body has empty as upstream's structs hold them.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import { type FieldError, invalid } from "../../apimachinery/errors/field-error.ts";
import { openKind } from "../open-kind.suite.ts";
import { withEmptied } from "./restore-emptied.ts";

const metadata = { name: "a", namespace: "n" };
const quota = (spec: object): object => ({ metadata, spec });

test("an empty list prints as one, an absent one as null", () => {
  const quotas = openKind("", "resourcequotas");
  const old = quotas.create(quota({ hard: {}, scopes: ["BestEffort"] })).object;
  const refused = (spec: object): readonly string[] => quotas.update(old, quota(spec)).errors;
  assert.deepEqual(refused({ scopes: [] }), ["spec.scopes: Invalid value: []: field is immutable"]);
  assert.deepEqual(refused({}), ["spec.scopes: Invalid value: null: field is immutable"]);
});

test("an empty map prints as one inside the value of an internal type", () => {
  const pods = openKind("", "pods");
  const pod = (spec: object): object => ({
    metadata,
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const old = pods.create(pod({ nodeSelector: { disk: "ssd" } })).object;
  const [empty] = pods.update(old, pod({ nodeSelector: {} })).errors;
  const [absent] = pods.update(old, pod({})).errors;
  assert.match(empty!, /\+ "NodeSelector": \{\},/);
  assert.match(absent!, /\+ "NodeSelector": null,/);
});

test("selectors omit what they have empty", () => {
  const { errors } = openKind("apps", "daemonsets").create({
    metadata,
    spec: { selector: { matchLabels: {} } },
  });
  assert.ok(
    errors.includes("spec.selector: Invalid value: {}: empty selector is invalid for daemonset"),
  );
});

const printed = ({ list, map }: JsonObject): readonly FieldError[] => [
  invalid("list", list, ""),
  ...(map === undefined ? [] : [invalid("map", map, "")]),
];
const shown = (
  object: JsonObject,
  path: readonly (string | number)[],
  value: [] | object,
): string =>
  withEmptied(printed(object), object, [{ path, value: value as JsonObject }], printed)
    .map(({ body }) => body)
    .join();

test("only members that are unset are restored, and only for the same errors", () => {
  assert.equal(shown({}, ["list"], []), "Invalid value: []");
  assert.equal(shown({ list: [1] }, ["list"], []), "Invalid value: [1]");
  assert.equal(shown({ list: "x" }, ["list", 0, "a"], []), 'Invalid value: "x"');
  assert.equal(shown({ list: [{}] }, ["list", 0, "a"], {}), 'Invalid value: [{"a":{}}]');
  assert.equal(shown({}, ["map"], {}), "Invalid value: null");
});

test("the object itself stays as it is", () => {
  const object: JsonObject = {};
  shown(object, ["list"], []);
  assert.deepEqual(object, {});
});
