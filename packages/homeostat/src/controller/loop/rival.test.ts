// Who has changed what was written.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "../../api/object-meta.ts";
import { isSameRival, rivalOf } from "./rival.ts";

const manager = "op/box";
const data = (...names: string[]) => ({
  "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])),
});
const entry = (who: string, time: string, ...names: string[]) => ({
  manager: who,
  time,
  fieldsV1: data(...names),
});
const map = (values: object, ...managedFields: readonly object[]): KubeObject =>
  ({ metadata: { name: "m", managedFields }, data: values }) as never;

const created = entry("kubectl-create", "9", "c");
const ours = map({ "a.yaml": 1, b: 1, c: 1 }, entry(manager, "1", "a.yaml", "b"), created);

test("the manager that has taken the field, and the field", () => {
  const theirs = map({ "a.yaml": 2, b: 1, c: 1 }, created, entry("thief", "2", "a.yaml"));
  assert.deepEqual(rivalOf(ours, theirs, manager), {
    fields: ["data.a.yaml"],
    managers: ["thief"],
  });
});

test("nobody while the fields of the manager are the same", () => {
  const theirs = map({ "a.yaml": 1, b: 1, c: 2 }, entry(manager, "1", "a.yaml", "b"), created);
  assert.equal(rivalOf(ours, theirs, manager), undefined);
});

test("the same manager where its own entry has the new value", () => {
  const theirs = map({ "a.yaml": 2, b: 1, c: 1 }, entry(manager, "1", "a.yaml", "b"), created);
  const fields = ["data.a.yaml"];
  assert.deepEqual(rivalOf(ours, theirs, manager), {
    fields,
    managers: [manager],
    isNamesake: true,
  });
});

test("who removes a field has a later time; one that has not changed is never named", () => {
  const gone = [entry(manager, "1", "b"), created];
  const fields = ["data.a.yaml"];
  assert.deepEqual(rivalOf(ours, map({ b: 1, c: 1 }, ...gone), manager), { fields, managers: [] });
  const remover = [...gone, entry("remover", "3", "d")];
  assert.deepEqual(rivalOf(ours, map({ b: 1, c: 1, d: 1 }, ...remover), manager), {
    fields,
    managers: ["remover"],
  });
});

test("a write with another field manager is compared as a whole", () => {
  const written = map({ a: 1 }, entry("helm", "1", "a"));
  const theirs = map({ a: 2 }, entry("thief", "2", "a"));
  assert.deepEqual(rivalOf(written, theirs, manager)?.managers, ["thief"]);
});

test("of several writers those are named that have taken one of the fields", () => {
  const thieves = [entry("one", "2", "a.yaml"), entry("two", "2", "b"), entry("three", "2", "d")];
  const theirs = map({ "a.yaml": 2, b: 2, c: 1, d: 1 }, created, ...thieves);
  assert.deepEqual(rivalOf(ours, theirs, manager), {
    fields: ["data.a.yaml", "data.b"],
    managers: ["one", "two"],
  });
});

test("only fields that were taken are named beside those that are gone, five at most", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g"];
  const values = (value: number) => Object.fromEntries(names.map((name) => [name, value]));
  const before = map(values(1), entry(manager, "1", ...names));
  const { a: _, ...rest } = values(2);
  const taken = map(rest, entry("thief", "2", "b", "c"));
  assert.deepEqual(rivalOf(before, taken, manager)?.fields, ["data.b", "data.c"]);
  const all = map(values(2), entry("thief", "2", ...names));
  assert.equal(rivalOf(before, all, manager)?.fields.length, 5);
});

test("one that has not written since is not taken for a remover", () => {
  const untimed = { ...entry("untimed", "9", "d"), time: undefined };
  const earlier = map({ "a.yaml": 1, d: 1 }, entry(manager, "1", "a.yaml"), entry("old", "4", "d"));
  const theirs = map({ d: 1 }, entry("old", "4", "d", "e"), untimed);
  assert.deepEqual(rivalOf(earlier, theirs, manager)?.managers, []);
});

test("the same rival has the same manager and a common field", () => {
  const one = { fields: ["a", "b"], managers: ["x"] };
  assert.ok(isSameRival(one, { fields: ["b"], managers: ["y", "x"] }));
  assert.ok(!isSameRival(one, { fields: ["c"], managers: ["x"] }));
  assert.ok(!isSameRival(one, { fields: ["a"], managers: ["y"] }));
});
