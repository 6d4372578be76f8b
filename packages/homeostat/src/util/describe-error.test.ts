import assert from "node:assert/strict";
import { it } from "node:test";
import { describeError, describeValue } from "./describe-error.ts";

const throwing = {
  get: (): never => {
    throw new Error("trap");
  },
};

it("describes any thrown value", () => {
  assert.equal(describeError(new Error("bad")), "bad");
  assert.equal(describeError("text"), "text");
  assert.equal(describeError({ code: 5 }), "{ code: 5 }");
  assert.equal(describeError(undefined), "undefined");
  assert.equal(describeError(Object.create(null)), "[Object: null prototype] {}");
});

it("never throws", () => {
  const mean = Object.defineProperty(new Error("x"), "message", throwing);
  assert.equal(describeError(mean), "an error whose message cannot be read");
  const evil = { [Symbol.for("nodejs.util.inspect.custom")]: throwing.get };
  assert.equal(describeError(evil), "a value that cannot be shown");
  assert.equal(typeof describeError(new Proxy(new Error("y"), throwing)), "string");
  assert.equal(typeof describeValue(new Proxy({}, { ...throwing, has: throwing.get })), "string");
});
