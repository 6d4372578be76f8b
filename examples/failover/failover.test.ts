// The demonstration runs: in each act another process takes the work over.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

test("both timelines are played", { timeout: 120_000 }, async () => {
  const args = [main, "--lease-seconds", "2", "--output", "json"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { single, elected } = JSON.parse(stdout);
  for (const acts of [single, elected])
    assert.deepEqual(
      acts.map(({ title }: { title: string }) => title),
      ["crash", "second crash", "update"],
    );
  const said = (acts: readonly any[], act: number): string =>
    acts[act].scenes.map(({ what }: { what: string }) => what).join("\n");
  assert.match(said(single, 0), /^a: SIGKILL\na: process has died\na: restarted\n/);
  assert.match(said(single, 1), /a: restarted after a back-off of 10000 ms/);
  assert.match(said(single, 2), /^a: SIGTERM\n(?:.*\n)*a: first reconcile/);
  for (const [act, from, to] of [
    [0, "[ab]", "[ab]"],
    [2, "[ab]", "[ab]"],
  ] as const)
    assert.match(said(elected, act), new RegExp(`^${from}: SIG(?:.*\n)*${to}: leading as`));
  assert.match(said(elected, 2), /released the Lease elected\/ticks/);
});

test("wrong options are named", async () => {
  const run = promisify(execFile)(process.execPath, [main, "--lease-seconds", "x"]);
  await assert.rejects(run, /--lease-seconds: expected whole seconds, got "x"/);
});
