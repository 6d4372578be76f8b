// What is said and done about refusals, lost connections and events that cannot be read.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HomeostatError } from "../util/homeostat-error.ts";
import { ApiStatusError, type Status } from "../api/status.ts";
import { Meal } from "./informer-play.suite.ts";
import { statusFault, toFault, unreadableEvent } from "./reflector-fault.ts";

const status = (rest: Partial<Status>): Status =>
  ({ kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...rest }) as Status;

test("a refusal is said in the server's words, and waited for as long as it asks", () => {
  const details = { retryAfterSeconds: 3 };
  assert.deepEqual(statusFault(status({ code: 429, message: "slow down", details })), {
    message: "slow down",
    code: 429,
    retryAfterMs: 3000,
  });
  assert.deepEqual(statusFault(status({ code: 500 })), {
    message: "the server answered 500",
    code: 500,
  });
});

test("a revision of the future is found among other causes", () => {
  const causes = [{ reason: "FieldValueInvalid" }, { reason: "ResourceVersionTooLarge" }];
  const fault = statusFault(status({ code: 504, details: { causes } as never }));
  assert.equal(fault.futureRevision, true);
});

test("what a kind that is not served lacks is said; other refusals keep their words", () => {
  const refusal = (code: number): Error =>
    new ApiStatusError(status({ code, message: "the server said so" }));
  assert.match(toFault(refusal(404), Meal).message, /does not serve .*Meal \(is its definition/);
  assert.equal(toFault(refusal(403), Meal).message, "the server said so");
});

test("only what a request meets is a lost connection", () => {
  const lost = new HomeostatError("ERR_CLIENT_CONNECTION_LOST", "ECONNRESET", { hint: "" });
  assert.deepEqual(toFault(lost, Meal), { message: lost.message, isDisconnected: true });
  assert.deepEqual(toFault("odd", Meal), { message: "odd", isDisconnected: false });
});

test("an event that cannot be read is shown from its beginning, not whole", () => {
  const { message } = unreadableEvent(Buffer.from(`<html>${"x".repeat(5000)}`), new Error("no"));
  assert.match(message, /\(no\): <html>x+$/);
  assert.ok(message.length < 300);
});
