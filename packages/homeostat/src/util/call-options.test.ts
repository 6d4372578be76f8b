import assert from "node:assert/strict";
import { it } from "node:test";
import { checkArgument, checkOptions } from "./call-options.ts";

const known = {
  name: "a string",
  count: "a number",
  isOn: "true or false",
  call: "a function",
  list: "a list",
  parts: "an object",
  signal: "an AbortSignal",
  runtime: "a runtime",
  after: 'a duration such as "30s"',
  rest: "any value",
} as const;
const refused = (given: unknown, message: string): void =>
  assert.throws(() => checkOptions("call(…)", given, known), {
    message: `ERR_ARGUMENT: ${message}`,
  });

it("takes options of the right types, undefined ones, and none", () => {
  const { signal } = new AbortController();
  for (const given of [
    undefined,
    {},
    Object.create(null),
    { nme: undefined, name: undefined },
    { name: "", count: 0, isOn: false, call() {}, list: [], parts: {}, signal, rest: null },
    { runtime: { clock: {} }, after: "5s" },
    { after: 5 },
  ])
    checkOptions("call(…)", given, known);
});

it("refuses what holds no options", () => {
  const names = Object.keys(known).join(", ");
  for (const [given, what] of [
    [null, "null"],
    [5, "5"],
    ["x", "'x'"],
    [[], "[]"],
    [Symbol("s"), "Symbol(s)"],
    [Promise.resolve(), "a promise, which is not awaited"],
  ] as const)
    refused(given, `call(…): an argument is ${what}, expected an object with ${names}`);
});

it("names every option that is misspelt or of another type", () => {
  refused(
    { nme: "x", count: "1", isOn: 1 },
    `call(…): nme: unknown option; expected any of ${Object.keys(known).join(", ")}; ` +
      "count is '1', expected a number; isOn is 1, expected true or false",
  );
  refused({ count: Number.NaN }, "call(…): count is NaN, expected a number");
  refused({ name: null }, "call(…): name is null, expected a string");
  refused({ signal: {} }, "call(…): signal is {}, expected an AbortSignal");
  refused({ runtime: {} }, "call(…): runtime is {}, expected a runtime");
  refused({ after: {} }, 'call(…): after is {}, expected a duration such as "30s"');
  refused(
    { constructor: 1 },
    `call(…): constructor: unknown option; expected any of ${Object.keys(known).join(", ")}`,
  );
});

it("makes the title of a call only when it is needed", () => {
  const title = (): string => assert.fail("it is not needed");
  checkOptions(title, {}, known);
  assert.throws(
    () => checkOptions(() => "late(…)", 5, known),
    /^HomeostatError: ERR_ARGUMENT: late\(…\): /,
  );
});

it("refuses an argument by what it is", () => {
  checkArgument("call(…)", ["its name", "x"], "a string");
  assert.throws(() => checkArgument("call(…)", ["its name", undefined], "a string"), {
    message: "ERR_ARGUMENT: call(…): its name is nothing, expected a string",
  });
});
