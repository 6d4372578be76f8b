// The command as users have it: built as it is published, and laid out as npm installs it, without
// sources beside it.
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
/** The same in each run, so that Node finds what it compiled in an earlier one. */
const folder = join(tmpdir(), `homeostat-bench-command-${process.getuid?.() ?? 0}`);

export const publishedCommand = join(folder, "bin/homeostat.js");

/** The benchmarks themselves run from source: their condition must not reach what is published. */
export const published: Readonly<Record<string, string>> = { NODE_OPTIONS: "" };

/** Builds the packages and lays out the command. */
export function buildCommand(): void {
  const built = spawnSync(process.execPath, ["tools/run.mjs", "tools/build/main.ts"], {
    cwd: root,
    stdio: "inherit",
  });
  if (built.status !== 0) throw new Error("build homeostat: it failed; what it printed says why");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  const own = join(root, "packages/cli");
  copyFileSync(join(own, "package.json"), join(folder, "package.json"));
  copyFileSync(join(own, "bin/homeostat.js"), publishedCommand);
  symlinkSync(join(own, "dist"), join(folder, "dist"), "junction");
}
