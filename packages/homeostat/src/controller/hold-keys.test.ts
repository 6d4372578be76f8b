// The queue of a standby.
import assert from "node:assert/strict";
import { it } from "node:test";
import { createWorkQueue } from "../queue/index.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { holdKeys } from "./hold-keys.ts";

it("a standby holds the keys of objects that exist, and no others", async () => {
  const queue = createWorkQueue({ runtime: createVirtualRuntime() });
  const cached = new Set(["a", "b"]);
  const { held, release } = holdKeys(queue, (key) => cached.has(key));
  for (const key of ["a", "b", "never"]) held.add(key);
  held.ignore("never", { what: "changed" });
  cached.delete("a");
  held.add("a", { cause: { what: "deleted" } });
  assert.deepEqual([queue.explain("a"), queue.explain("never")], [undefined, undefined]);
  assert.equal((await queue.get())?.key, "b");
  release();
  held.add("gone");
  assert.equal((await queue.get())?.key, "gone");
});
