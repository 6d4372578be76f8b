import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { mismatchError } from "../../cache/mismatch-error.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { logCacheErrors } from "./log-cache-errors.ts";

it("of many skipped objects a few are named and the rest is counted", async () => {
  const runtime = createVirtualRuntime();
  const lines: string[] = [];
  const told = logCacheErrors({
    clock: runtime.clock,
    log: () => ({
      error: (message, { hint = "" } = {}) => void lines.push(`${message} (${String(hint)})`),
    }),
  });
  const kindOf = (kind: string) => ({ apiVersion: "v1", kind }) as Kind;
  const skip = (kind: string, i: number): void =>
    told(mismatchError(`${kind} ${i}`, { message: "x", isInSpec: true }), kindOf(kind));
  for (let i = 0; i < 12; i++) skip("Box", i);
  skip("Part", 0);
  told(new Error("late"), kindOf("Box"), "n/a");
  assert.equal(lines.length, 7);
  assert.match(lines[4]!, /^ERR_OBJECT_MISMATCH: Box 4 does not match .*\(correct or delete/);
  assert.match(lines[5]!, /Part 0/);
  assert.match(lines[6]!, /threw for n\/a: late/);
  await runtime.advance(2000);
  assert.deepEqual(lines.slice(7), ["ERR_OBJECT_MISMATCH: 7 more of Box are skipped ()"]);
  skip("Box", 12);
  assert.match(lines.at(-1)!, /Box 12/, "later ones are named again");
});
