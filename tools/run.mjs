// Runs a TypeScript entry from source, in this process: `node tools/run.mjs FILE args…`. The
// workspace's packages resolve to their sources (the condition homeostat-source), so no build is
// needed. Exit codes and signals are the entry's own. Child processes inherit the condition through
// NODE_OPTIONS; workers need it in execArgv.
import Module from "node:module";
import { resolve } from "node:path";
import { ensureNode } from "./ensure-node.mjs";

const condition = "homeostat-source";
const [file, ...args] = process.argv.slice(2);

if (file === undefined) {
  console.error("usage: node tools/run.mjs FILE args…");
  process.exitCode = 2;
} else if (await ensureNode()) {
  const flag = `--conditions=${condition}`;
  if (!(process.env.NODE_OPTIONS ?? "").includes(flag))
    process.env.NODE_OPTIONS = `${process.env.NODE_OPTIONS ?? ""} ${flag}`.trim();
  Module.enableCompileCache?.();
  Module.registerHooks({
    resolve: (specifier, context, next) =>
      next(specifier, { ...context, conditions: [condition, ...context.conditions] }),
  });
  process.argv.splice(1, process.argv.length, resolve(file), ...args);
  Module.runMain();
}
