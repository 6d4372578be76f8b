import assert from "node:assert/strict";
import { test } from "node:test";
import { parseFault, parseMatch } from "./parse-fault.ts";

test("a valid fault is copied", () => {
  const fault = {
    on: { verbs: ["patch"] },
    after: 2,
    times: 1,
    effect: { type: "error", code: 409 },
  };
  const parsed = parseFault(fault);
  assert.deepEqual(parsed, fault);
  assert.notEqual(parsed, fault);
  for (const effect of [
    { type: "withhold", then: "hang" },
    { type: "delay", ms: 0, of: "answer" },
    { type: "stale", resourceVersion: "7" },
    { type: "freeze" },
    { type: "skip" },
    { type: "close" },
  ])
    assert.deepEqual(parseFault({ effect }), { effect });
  const onBoth = { on: { verbs: ["list", "watch"] }, effect: { type: "freeze" } };
  assert.deepEqual(parseFault(onBoth), onBoth);
});

test("everything that is wrong with a fault is named", () => {
  const refused: readonly (readonly [unknown, RegExp])[] = [
    [null, /expected an object, got null/],
    [{}, /effect\.type: expected one of error, withhold, .*; got undefined/],
    [{ effect: { type: "toString" } }, /got "toString"/],
    [{ effect: { type: "error", code: 200 } }, /effect\.code: expected a status code .*got 200/],
    [{ effect: { type: "error" } }, /effect\.code: expected/],
    [{ effect: { type: "skip", ms: 1 } }, /effect\.ms: is not known/],
    [{ effect: { type: "delay", ms: -1 } }, /effect\.ms: expected a number from 0, got -1/],
    [{ effect: { type: "close" }, times: 1.5, count: 1 }, /times: .*count: is not known/],
    [{ effect: { type: "close" }, on: { verbs: "get" } }, /on\.verbs: expected a list/],
    [
      { effect: { type: "close" }, on: { verbs: ["wach"] } },
      /a list of verbs \(get, .*got \["wach"\]/,
    ],
    [
      { effect: { type: "close" }, on: { verb: ["get"] } },
      /on\.verb: is not known; expected any of user, /,
    ],
    [
      { effect: { type: "stale" }, on: { verbs: ["get"] } },
      /on\.verbs: stale hits list requests only, got \["get"\]/,
    ],
    [{ effect: { type: "skip" }, on: { verbs: ["list"] } }, /skip hits watch requests only/],
    [{ effect: { type: "stale", resourceVersion: "0" } }, /expected a resource version, got "0"/],
  ];
  for (const [given, why] of refused) assert.throws(() => parseFault(given), why);
  assert.throws(() => parseMatch([]), /expected an object/);
});
