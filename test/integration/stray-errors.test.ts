// Errors that users' code loses do not end the process: each program runs in a process of its own,
// because a test runner catches such errors itself.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../fixtures/stray-errors/main.ts", import.meta.url));

function runProgram(mistake: string) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=homeostat-source", program, mistake],
    { encoding: "utf8", timeout: 30_000 },
  );
  return { status, stdout, stderr };
}

describe("errors that users' code loses", () => {
  const reported: readonly (readonly [string, RegExp])[] = [
    ["a forgotten await", /ERR_NOT_AWAITED: client\.patch\(Box absent\), which failed/],
    ["a forgotten await with a continuation", /ERR_NOT_AWAITED: a promise that was rejected/],
    ["a forgotten await of an own function", /after the end of a reconcile: .*absent/],
    ["a timer that throws", /after the end of a reconcile: thrown by a timer/],
    ["a rejected object without prototype", /\[Object: null prototype\] \{\}/],
    ["a `changed` callback that rejects", /`changed` callback threw: rejected by changed/],
    ["a selector that rejects", /ERR_REF_TARGET/],
  ];
  for (const [mistake, report] of reported)
    it(`${mistake} is reported, and the process goes on`, () => {
      const { status, stdout, stderr } = runProgram(mistake);
      assert.equal(status, 0, stderr);
      assert.match(stdout, report);
      assert.match(stdout, /the end/);
    });

  for (const mistake of ["a foreign rejection", "a foreign exception"])
    it(`${mistake} ends the process as without a manager`, () => {
      const { status, stdout, stderr } = runProgram(mistake);
      assert.equal(status, 1);
      assert.match(stderr, /Error: foreign[^]*at /);
      assert.doesNotMatch(stdout, /the end/);
    });
});
