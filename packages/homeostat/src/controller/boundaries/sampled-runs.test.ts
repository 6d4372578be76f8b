import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { SampledRuns } from "./sampled-runs.ts";

test("the first runs are sampled, then one in fifty", () => {
  const runs = new SampledRuns();
  const sampled = Array.from({ length: 1000 }, () => runs.next());
  assert.ok(sampled.slice(0, 100).every(Boolean));
  assert.equal(sampled.slice(100).filter(Boolean).length, 18);
});

test("the program is read once for all sampled runs", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sampled-runs-"));
  const file = join(folder, "program.mjs");
  try {
    writeFileSync(file, "export const read = (labels) => labels.tier;\n");
    const { read } = (await import(pathToFileURL(file).href)) as {
      read(labels: Readonly<Record<string, string>>): string;
    };
    const runs = new SampledRuns();
    const seen: string[] = [];
    const run = async (): Promise<void> => {
      read(runs.observeMap({ tier: "web" }, (key) => void seen.push(key)));
      await new Promise((resolve) => setImmediate(resolve));
    };
    await run();
    rmSync(file);
    await run();
    assert.deepEqual(seen, ["tier", "tier"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
