import assert from "node:assert/strict";
import { test } from "node:test";
import { type Choice, chooseCases, focusOf, unusedChoices } from "./choose-cases.ts";

const spec = (file: string, name: string, ...labels: readonly string[]) => ({ file, name, labels });
const specs = [
  spec("a/watch.go", "[sig-a] Watchers see (all)"),
  spec("a/watch.go", "[sig-a] Watchers run pods"),
  spec("b/new.go", "[sig-b] new"),
  spec("b/dns.go", "[sig-b] dns", "Alpha"),
];

test("every case is run or has a reason, the first choice that fits it counts", () => {
  const choices: readonly Choice[] = [
    { from: "a/watch.go", not: [["run pods", "nothing runs"]] },
    { from: "a/", because: "never asked" },
    { from: "b/dns.go" },
  ];
  const { run, left } = chooseCases(specs, choices);
  assert.deepEqual(
    run.map(({ name }) => name),
    ["[sig-a] Watchers see (all)"],
  );
  assert.deepEqual(
    left.map(({ because }) => because),
    ["nothing runs", "no choice has been made for it", "a feature that is off by default"],
  );
});

test("with `only` the rest has the choice's reason", () => {
  const { run, left } = chooseCases(specs.slice(0, 2), [
    { from: "a/", only: ["see (all)"], because: "nothing runs" },
  ]);
  assert.equal(run.length, 1);
  assert.deepEqual(
    left.map(({ because }) => because),
    ["nothing runs"],
  );
});

test("a choice that matches no case is reported", () => {
  assert.deepEqual(
    unusedChoices(specs, [
      { from: "a/", only: ["see"], not: [["fly", "no wings"]] },
      { from: "c/" },
    ]),
    ["a/: fly", "c/"],
  );
});

test("the focus takes names as they are", () => {
  const focus = new RegExp(focusOf(specs.slice(0, 1)));
  assert.ok(focus.test("suite [sig-a] Watchers see (all) [Conformance]"));
  assert.ok(!focus.test("suite sig-a Watchers see all"));
});
