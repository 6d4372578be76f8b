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

it("adds the causes that the message does not repeat", () => {
  const refused = new Error("connect ECONNREFUSED 127.0.0.1:1");
  const failed = new TypeError("fetch failed", { cause: refused });
  assert.equal(describeError(failed), "fetch failed: connect ECONNREFUSED 127.0.0.1:1");
  const step = new Error('step "call" failed: fetch failed', { cause: failed });
  assert.equal(
    describeError(step),
    'step "call" failed: fetch failed: connect ECONNREFUSED 127.0.0.1:1',
  );
  const unnamed = Object.assign(new AggregateError([refused]), { code: "ECONNREFUSED" });
  assert.equal(describeError(new Error("lost", { cause: unnamed })), "lost: ECONNREFUSED");
  const circle = new Error("round");
  circle.cause = circle;
  assert.equal(describeError(circle), "round");
});

it("never throws", () => {
  const mean = Object.defineProperty(new Error("x"), "message", throwing);
  assert.equal(describeError(mean), "an error whose message cannot be read");
  const evil = { [Symbol.for("nodejs.util.inspect.custom")]: throwing.get };
  assert.equal(describeError(evil), "a value that cannot be shown");
  assert.equal(typeof describeError(new Proxy(new Error("y"), throwing)), "string");
  assert.equal(typeof describeValue(new Proxy({}, { ...throwing, has: throwing.get })), "string");
});
