// Ensures that a script runs on Node 24.15 or newer. On an older Node it restarts the script with
// the workspace's Node, or prints in one line what is missing. Runs on any Node with ES modules.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const needed = [24, 15];

/**
 * True when this Node is recent enough. Otherwise another Node has run the script, or it was
 * refused, and the exit code is set.
 */
export async function ensureNode() {
  if (isEnough(process.versions.node)) {
    delete process.env.HOMEOSTAT_NODE_TRIED;
    return true;
  }
  const workspaceNode = fileURLToPath(
    new URL(
      `../node_modules/.bin/node${process.platform === "win32" ? ".cmd" : ""}`,
      import.meta.url,
    ),
  );
  if (!existsSync(workspaceNode) || process.env.HOMEOSTAT_NODE_TRIED) {
    console.error(
      `homeostat requires Node ${needed.join(".")} or newer, this is ${process.versions.node} (${process.execPath}): run \`npm ci\`, or install Node 24`,
    );
    process.exitCode = 1;
    return false;
  }
  await runAgain(workspaceNode);
  return false;
}

function isEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > needed[0] || (major === needed[0] && minor >= needed[1]);
}

function runAgain(node) {
  const child = spawn(node, process.argv.slice(1), {
    stdio: "inherit",
    env: { ...process.env, HOMEOSTAT_NODE_TRIED: "1" },
    shell: process.platform === "win32",
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
    process.on(signal, () => child.kill(signal));
  return new Promise((done) => {
    child.on("close", (code, signal) => {
      process.removeAllListeners(signal ?? "SIGTERM");
      if (signal) process.kill(process.pid, signal);
      process.exitCode = code ?? 1;
      done();
    });
  });
}
