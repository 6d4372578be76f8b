// Runs the operator: on the cluster of KUBECONFIG or of its pod, or with --embedded on an API
// server in this process, whose Deployments run on a fake node.
import { createManager, installDefinitions, runMain } from "homeostat";
import { createClient, loadClusterAccess } from "homeostat/client";
import { controllers, operator, options, resources } from "./web.ts";

const kubeconfigPath = ".homeostat/kubeconfig";

await runMain(async () => {
  const server = process.argv.includes("--embedded") ? await startServer() : undefined;
  const connection = server
    ? { transport: server.transport() }
    : { access: await loadClusterAccess() };
  const client = createClient({ ...connection, fieldManager: operator });
  if (server) {
    await installDefinitions(client, resources); // on a cluster: deploy/crds.yaml
    console.log(`ready: export KUBECONFIG=${kubeconfigPath}`);
  }
  const more = server ? {} : options;
  await createManager({ operator, controllers, client, ...more }).run(); // until SIGTERM or SIGINT
  await client.close();
  await server?.close();
});

/** A development dependency: imported only when it is needed. */
async function startServer() {
  const { startApiServer } = await import("@homeostat/apiserver");
  return startApiServer({ kubeconfigPath, controllers: "all", fakeNodes: 1 });
}
