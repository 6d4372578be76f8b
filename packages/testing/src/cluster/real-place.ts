// A real cluster, named by an environment variable, so that the same tests run there: each in a
// namespace of its own, which is removed at the end. What is installed stays.
import { HomeostatError } from "homeostat";
import { type ClusterAccess, createClient, loadKubeconfig } from "homeostat/client";
import { Namespace } from "homeostat/k8s/core/v1";
import { pauseFor } from "../traffic/real-time.ts";
import { Traffic } from "../traffic/traffic.ts";
import { createUnheldRuntime } from "./keep-alive.ts";
import type { Place } from "./place.ts";
import type { TestClusterOptions } from "./test-cluster-options.ts";

const variable = "HOMEOSTAT_TEST_KUBECONFIG";

/** Between two looks. */
const pollMs = 20;
/** A watch delivers over the network what has happened a moment ago. */
const quietLooks = 10;

/** The kubeconfig of the real cluster that tests run on; undefined for the embedded server. */
export const realKubeconfig = (): string | undefined => process.env[variable] || undefined;

/**
 * Says why a test that needs the embedded server is to be skipped, and false where it can run:
 * `test("…", { skip: needsEmbedded() }, …)` with node:test, `test.skipIf(needsEmbedded())` with
 * vitest.
 */
export const needsEmbedded = (): string | false =>
  realKubeconfig() === undefined
    ? false
    : `needs the embedded server, and ${variable} names a real cluster`;

/** Connects to the cluster and makes a namespace. @throws ERR_TEST_REAL_CLUSTER */
export async function openReal(path: string, options: TestClusterOptions): Promise<Place> {
  refuseEmbeddedOptions(options);
  const access = await loadKubeconfig({ path });
  const administrator = createClient({ access });
  const traffic = new Traffic();
  const { metadata } = await administrator.create(Namespace, {
    metadata: { generateName: "homeostat-test-" },
  });
  const connections = openConnections(access, metadata.name, traffic);
  return {
    runtime: createUnheldRuntime(),
    traffic,
    jumping: undefined,
    server: undefined,
    namespace: metadata.name,
    client: connections.client,
    looks: quietLooks,
    pause: () => pauseFor(pollMs),
    async close() {
      await connections.close();
      await administrator.delete(Namespace, metadata.name);
      await administrator.close();
    },
  };
}

/** Clients with connections and credentials of their own, which close together. */
function openConnections(access: ClusterAccess, namespace: string, traffic: Traffic) {
  const opened: (() => Promise<void>)[] = [];
  const client: Place["client"] = ({ runtime, operator, wrap = (transport) => transport }) => {
    const connection = createClient({ access });
    opened.push(() => connection.close());
    return createClient({
      access,
      transport: wrap(traffic.through(connection.transport)),
      namespace,
      runtime,
      fieldManager: operator,
      userAgent: operator,
    });
  };
  return { client, close: async () => void (await Promise.all(opened.map((close) => close()))) };
}

/** The controllers of a control plane are there; nothing else of the embedded server is. */
function refuseEmbeddedOptions(options: TestClusterOptions): void {
  const { fakeNodes, stages, audit, controlPlane } = options;
  const given = { fakeNodes, stages, audit };
  const [name] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (name !== undefined) throw embeddedOnly(`start a test cluster: \`${name}\``);
  if (controlPlane === "none") throw embeddedOnly('start a test cluster: `controlPlane: "none"`');
}

/** The error of what only the embedded server can do. */
export const embeddedOnly = (what: string): HomeostatError =>
  new HomeostatError(
    "ERR_TEST_REAL_CLUSTER",
    `${what} needs the embedded server, and ${variable} names a real cluster`,
    { hint: "skip the test there: `test(…, { skip: needsEmbedded() }, …)`" },
  );
