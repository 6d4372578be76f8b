// Command line of the reference control plane: build, start, stop, status. See README.md.

import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { buildReference, cacheFolder, missingBinaries } from "./build-reference.ts";
import { isRunning, readState, startReference, stopReference } from "./start-reference.ts";

const usage =
  "usage: reference.ts build | start [--kubeconfig FILE] [--controllers] [--service-account-admission] [-- KUBE-APISERVER-FLAGS…] | stop [--kubeconfig FILE] | status [--kubeconfig FILE]";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kubeconfig: { type: "string" },
    controllers: { type: "boolean", default: false },
    "service-account-admission": { type: "boolean", default: false },
  },
});
const kubeconfigPath = resolve(values.kubeconfig ?? join(cacheFolder, "kubeconfig"));
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const commands: Readonly<Record<string, () => Promise<void>>> = {
  build: () => buildReference(say),
  start: async () => {
    await buildReference(say);
    const reference = await startReference({
      kubeconfigPath,
      controllers: values.controllers,
      serviceAccountAdmission: values["service-account-admission"],
      apiserverFlags: positionals.slice(1),
    });
    say(
      `${reference.server} is ready${values.controllers ? ", controllers running" : ""}: KUBECONFIG=${reference.kubeconfigPath}`,
    );
  },
  stop: () => stopReference(kubeconfigPath),
  status: async () => {
    const state = readState(kubeconfigPath);
    const missing = missingBinaries();
    say(missing.length > 0 ? `not built: ${missing.join(", ")}` : "built");
    if (state)
      say(
        `${state.server}, in ${state.folder}: ${state.pids.map((pid) => `${pid} ${isRunning(pid, state.folder) ? "runs" : "has ended"}`).join(", ")}`,
      );
    else say(`no instance for ${kubeconfigPath}`);
  },
};

const command = commands[positionals[0] ?? ""];
if (command) await command();
else {
  process.stderr.write(`${usage}\n`);
  process.exitCode = 2;
}
