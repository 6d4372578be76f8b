import assert from "node:assert/strict";
import { test } from "node:test";
import { checkOptions } from "./check-options.ts";

test("all wrong options of a manager are named at once", () => {
  const wrong = {
    operator: "op",
    controllers: [5],
    client: {},
    syncTimeoutMs: -1,
    shutdownTimeoutMs: Infinity,
  };
  assert.throws(() => checkOptions(wrong as never), {
    message:
      "ERR_MANAGER_OPTIONS: creating the manager of op: " +
      "controllers[0] is 5, expected what defineController returns; " +
      "client is {}, expected what createClient returns; " +
      "syncTimeoutMs is -1, expected milliseconds from 0 to 2147483647; " +
      "shutdownTimeoutMs is Infinity, expected milliseconds from 0 to 2147483647",
  });
  assert.throws(() => checkOptions({ operator: "op" } as never), /controllers is undefined/);
  for (const ms of [0, undefined, 1e6])
    checkOptions({ operator: "op", controllers: [], syncTimeoutMs: ms } as never);
});
