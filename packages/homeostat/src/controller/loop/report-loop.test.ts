// What is said of a loop.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeLoop } from "./report-loop.ts";

const manager = "op/box";
const another = { by: "another", runs: 3, wrote: ["Part n/p"] } as const;
const fields = ["spec.of"];

describe("the description of a loop", () => {
  it("of its own making names the fields, and what to do", () => {
    const loop = {
      by: "itself",
      runs: 21,
      wrote: ["Box status.count", "Box status.note"],
    } as const;
    const what = describeLoop(loop, manager);
    assert.match(what, /^21 consecutive reconciles .* writing Box status.count, Box status.note;/);
    const nothing = describeLoop({ ...loop, wrote: [] }, manager);
    assert.match(nothing, /writing nothing;/);
  });

  it("of retries says how often", () => {
    const loop = { by: "retries", runs: 101, wrote: [] } as const;
    assert.match(describeLoop(loop, manager), /^101 times .* half a second/);
  });

  it("over several keys names them", () => {
    const through = ["one of Box a", "two of Box b"];
    const loop = { by: "others", runs: 21, wrote: ["Box status.n"], through } as const;
    assert.match(
      describeLoop(loop, manager),
      /^21 times .* through one of Box a, two of Box b, writing Box status.n;/,
    );
  });

  it("with another writer names the fields and both managers", () => {
    const what = describeLoop(
      { ...another, rival: { fields, managers: ["rival", "two"] } },
      manager,
    );
    assert.match(what, /wrote Part n\/p \(spec\.of\), because "rival" and "two" changes each time/);
    assert.match(what, /what "op\/box" has written/);
  });

  it("with an unknown writer names the fields that are known", () => {
    const some = describeLoop({ ...another, rival: { fields, managers: [] } }, manager);
    assert.match(some, /wrote Part n\/p \(spec\.of\), because another client changes/);
    const none = describeLoop(another, manager);
    assert.match(none, /wrote Part n\/p, because another client changes/);
  });

  it("with another process that has the same field manager says what to do", () => {
    const rival = { fields, managers: [manager], isNamesake: true } as const;
    assert.match(
      describeLoop({ ...another, rival }, manager),
      /\(spec\.of\), because another process writes with the same field manager "op\/box" .*operator name/,
    );
  });
});
