import assert from "node:assert/strict";
import { it } from "node:test";
import { isHomeostatError } from "./homeostat-error.ts";
import { dropPromise, refusePromise } from "./refuse-promise.ts";

it("a value passes", () => {
  for (const value of [true, undefined, null, "then", { then: 1 }, () => true])
    assert.equal(refusePromise(value, "`when`", "a boolean"), value);
});

it("a promise is refused by name, and its rejection is ignored", async () => {
  const rejected = Promise.reject(new Error("lost"));
  assert.throws(
    () => refusePromise(rejected, "`when` of box", "a boolean"),
    (error) =>
      isHomeostatError(error, "ERR_ASYNC_FUNCTION") &&
      /`when` of box returned a promise; it must return a boolean/.test(error.message),
  );
  await new Promise((resolve) => setImmediate(resolve));
});

it("so is any other thenable, whatever it does", async () => {
  const refuses = (_: unknown, reject: (error: Error) => void) => reject(new Error("lost"));
  const throws = () => {
    throw new Error("lost");
  };
  for (const then of [refuses, throws]) assert.equal(dropPromise({ then }), true);
  const hidden = Object.defineProperty({}, "then", { get: throws });
  assert.equal(dropPromise(hidden), false);
  await new Promise((resolve) => setImmediate(resolve));
});
