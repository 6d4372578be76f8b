// Published Go modules, by the go command's own cache.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { Surroundings } from "./suite.ts";

/** Downloads `module`, e.g. `k8s.io/api@v0.36.3`; resolves to its folder, which is read-only. */
export async function downloadModule(at: Surroundings, module: string): Promise<string> {
  const { Dir } = JSON.parse(
    await at.run(["go", "mod", "download", "-json", module], { limitMs: 600_000 }),
  ) as { readonly Dir: string };
  return Dir;
}

/**
 * Copies `module` to a folder of the cache, in which it can be changed; resolves to that folder.
 */
export async function copyModule(at: Surroundings, module: string, name: string): Promise<string> {
  const folder = join(at.cache, name);
  rmSync(folder, { recursive: true, force: true });
  await at.run(["cp", "-r", await downloadModule(at, module), folder]);
  await at.run(["chmod", "-R", "u+w", folder]);
  return folder;
}
