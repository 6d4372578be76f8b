import assert from "node:assert/strict";
import { test } from "node:test";
import { HomeostatError } from "./homeostat-error.ts";
import { withUserFrames } from "./user-frames.ts";

const own = new URL("homeostat-error.ts:1:1", import.meta.url).href;
const head = "HomeostatError: ERR_X: doing it\n  do that";
const stackOf = (...frames: readonly string[]): string => [head, ...frames].join("\n");

test("keeps the frames of users' code", () => {
  const users = [
    "    at reconcile (file:///home/me/src/main.ts:3:7)",
    "    at async file:///home/me/src/main.ts:9:1",
    "    at C:\\me\\main.ts:9:1",
    "    at Object.<anonymous> (/home/me/dist/main.cjs:3:7)",
  ];
  const others = [
    `    at check (${own})`,
    "    at f (file:///home/me/node_modules/undici/index.js:1:1)",
    "    at node:internal/modules/run_main:107:5",
    "    at TLSSocket.emit (node:events:514:28)",
    "    at Array.map (<anonymous>)",
    "    at async Promise.all (index 0)",
  ];
  const mixed = others.flatMap((frame, i) => [frame, users[i] ?? []].flat());
  assert.equal(withUserFrames(stackOf(...mixed)), stackOf(...users));
  assert.equal(withUserFrames(stackOf(...others)), stackOf(others[0]!));
  assert.equal(withUserFrames(head), head);
});

test("an error that its reader can mend shows where their code was, once", () => {
  const hint = "do that";
  const user = new HomeostatError("ERR_X", "doing it", { hint });
  assert.match(
    user.stack!,
    /^HomeostatError: ERR_X: doing it\n {2}do that\n {4}at .*user-frames\.test/,
  );
  assert.doesNotMatch(user.stack!, /node:/);
  assert.deepEqual(Object.keys(user), ["name", "code"]);
  assert.deepEqual([user.hint, user.audience], [hint, "user"]);
  const bug = new HomeostatError("ERR_X", "doing it", { hint, audience: "bug" });
  assert.match(bug.stack!, /node:/);
});
