// Runs the tests that need the real control plane: starts one, runs every *.reference.ts with its
// kubeconfig in HOMEOSTAT_REFERENCE_KUBECONFIG, stops it. Arguments are files or patterns to run
// instead.

import { spawn } from "node:child_process";
import { buildReference } from "./build-reference.ts";
import { startReference } from "./start-reference.ts";

const asked = process.argv.slice(2);
const patterns =
  asked.length > 0
    ? asked
    : ["packages/*/src/**/*.reference.ts", "test/**/*.reference.ts", "tools/**/*.reference.ts"];

await buildReference((line) => void process.stdout.write(`${line}\n`));
const reference = await startReference();
// the tests get it too and end; what was started must still be stopped
process.on("SIGINT", () => {});
try {
  process.exitCode = await new Promise<number>((resolve, reject) => {
    const env = { ...process.env, HOMEOSTAT_REFERENCE_KUBECONFIG: reference.kubeconfigPath };
    const tests = spawn(
      process.execPath,
      ["--conditions=homeostat-source", "--test", ...patterns],
      { env, stdio: "inherit" },
    );
    tests.on("error", reject).on("exit", (code) => resolve(code ?? 1));
  });
} finally {
  await reference.stop();
}
