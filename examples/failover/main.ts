// `npm run demo:failover`: what happens to the work of an operator when its process dies, with one
// replica that Kubernetes restarts, and with two that elect a leader. Real processes, real exits,
// an embedded API server; only the kubelet is simulated (kubelet.ts). Both are played at once.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startApiServer } from "@homeostat/apiserver";
import { installDefinitions } from "homeostat";
import { createClient, loadKubeconfig } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { Tick } from "./operator.ts";
import { type Act, play } from "./play.ts";
import { printTimelines } from "./print-timelines.ts";

const usage = `Shows a failover as two timelines, in about a minute.

  npm run demo:failover
  npm run demo:failover -- --lease-seconds 3
  npm run demo:failover --silent -- --output json

Options
  --lease-seconds N    how long a Lease lasts (default 15, as controller-runtime)
  --output text|json
  --help
`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      "lease-seconds": { type: "string", default: "15" },
      output: { type: "string", default: "text" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) return (process.stdout.write(usage), 0);
  const leaseSeconds = Number(values["lease-seconds"]);
  if (!Number.isInteger(leaseSeconds) || leaseSeconds < 1)
    throw new Error(`--lease-seconds: expected whole seconds, got "${values["lease-seconds"]}"`);
  if (values.output !== "text" && values.output !== "json")
    throw new Error(`--output: expected text or json, got "${values.output}"`);
  const isJson = values.output === "json";
  if (!isJson) process.stdout.write("an operator crashes twice and is updated; please wait …\n");
  const [single, elected] = await playBoth(leaseSeconds);
  if (isJson) process.stdout.write(`${JSON.stringify({ leaseSeconds, single, elected })}\n`);
  else process.stdout.write(printTimelines(single, elected));
  return 0;
}

async function playBoth(leaseSeconds: number): Promise<readonly [readonly Act[], readonly Act[]]> {
  const folder = mkdtempSync(join(tmpdir(), "homeostat-failover-"));
  const kubeconfig = join(folder, "kubeconfig");
  const server = await startApiServer({ kubeconfigPath: kubeconfig, controllers: "none" });
  const access = await loadKubeconfig({ path: kubeconfig });
  const client = createClient({ access });
  try {
    await installDefinitions(client, [Tick]);
    const troupe = async (namespace: string, names: readonly string[]) => {
      await client.create(Namespace, Namespace(namespace, {}));
      return play({ kubeconfig, client: client.with({ namespace }), names, leaseSeconds });
    };
    return await Promise.all([troupe("single", ["a"]), troupe("elected", ["a", "b"])]);
  } finally {
    await client.close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
  process.exitCode = 2;
}
