// Errors that users' code loses do not end the process: each program runs in a process of its own,
// because a test runner catches such errors itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../fixtures/stray-errors/main.ts", import.meta.url));

async function runProgram(mistake: string) {
  const args = ["--conditions=homeostat-source", program, mistake];
  const child = spawn(process.execPath, args, { timeout: 60_000 });
  const closed = once(child, "close");
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await closed) as [number | null, string | null];
  return { status, stdout, stderr };
}

describe("errors that users' code loses", { concurrency: 3 }, () => {
  const reported: readonly (readonly [string, RegExp])[] = [
    ["a forgotten await", /ERR_NOT_AWAITED: client\.patch\(Box absent\), which failed/],
    ["a forgotten await with a continuation", /ERR_NOT_AWAITED: a promise that was rejected/],
    ["a forgotten await of an own function", /after the end of a reconcile: .*absent/],
    ["a timer that throws", /after the end of a reconcile: thrown by a timer/],
    ["a rejected object without prototype", /\[Object: null prototype\] \{\}/],
    ["a `changed` callback that rejects", /`changed` callback threw: rejected by changed/],
    ["a selector that rejects", /ERR_REF_TARGET/],
    ["a `when` that rejects", /`when` of controller "box" returned a promise; it must return a b/],
    ["a `when` that throws", /`when` of controller "box" threw thrown by users' code/],
    ["a `when` inside of `or` that rejects", /`when` of controller "box" returned a promise/],
    ["a `when` of owned objects that rejects", /`when` of owned Part of controller "box" returned/],
    ["a `when` of a reference that rejects", /`when` of ref other of controller "box" returned/],
    ["a `when` of a watch that rejects", /`when` of watch parts of controller "box" returned/],
    ["a `priority` that rejects", /`priority` of "box" returned a promise/],
    ["an index function that rejects", /index "index:box:names" returned a promise/],
    ["an index function that returns no list", /index "index:box:names" returned undefined/],
    ["a projection that rejects", /`project` of Part returned a promise/],
    ["a source that rejects", /external source feed failed.* returned a promise/],
    ["a listener on a source's signal that throws", /external source feed: thrown by users' code/],
    ["a timer of a source that throws", /external source feed: thrown by users' code/],
    ["a listener on the signal of a run that throws", /of a reconcile: thrown by a listener/],
    ["a listener on the signal of a run that throws at the deadline", /thrown by a listener/],
    ["a timer that throws after the manager has stopped", /of a reconcile: thrown by a timer/],
    ["a `ready` that rejects", /`ready` of Part returned a promise; it must return a boolean/],
    ["a status that contains itself", /status\.count .*contains itself/],
    ["a status without an end", /status\.count .*deeper than 10000 levels/],
  ];
  for (const [mistake, report] of reported)
    it(`${mistake} is reported, and the process goes on`, async () => {
      const { status, stdout, stderr } = await runProgram(mistake);
      assert.equal(status, 0, stderr);
      assert.match(stdout, report);
      assert.match(stdout, /the end/);
    });

  for (const mistake of ["a foreign rejection", "a foreign exception"])
    it(`${mistake} ends the process as without a manager`, async () => {
      const { status, stdout, stderr } = await runProgram(mistake);
      assert.equal(status, 1);
      assert.match(stderr, /Error: foreign[^]*at /);
      assert.doesNotMatch(stdout, /the end/);
    });
});
