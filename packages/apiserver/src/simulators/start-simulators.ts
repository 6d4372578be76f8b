// Starts the simulated controllers that were asked for, over one client and one cache, and stops them in order.
import type { Transport } from "homeostat/api";
import { createCache } from "homeostat/cache";
import { createClient } from "homeostat/client";
import type { Runtime } from "homeostat/runtime";
import { garbageCollector } from "./garbage-collector/garbage-collector.ts";
import { namespaceLifecycle } from "./namespace/namespace-lifecycle.ts";
import { createServedKinds } from "./served-kinds.ts";
import type { RunningSimulator, Simulator } from "./simulator.ts";

/** Every simulator there is; a new one is one line here. */
export const simulators: readonly Simulator[] = [
  garbageCollector,
  namespaceLifecycle,
  onRequest("serviceaccount", async () => (await import("./service-account/service-account.ts")).startServiceAccounts),
  onRequest("root-ca-certificate-publisher", async () => (await import("./root-ca/root-ca.ts")).startRootCa),
  onRequest("replicaset", async () => (await import("./replica-set/replica-set.ts")).startReplicaSets),
  onRequest("replicationcontroller", async () => (await import("./replication-controller/replication-controller.ts")).startReplicationControllers),
  onRequest("statefulset", async () => (await import("./stateful-set/stateful-set.ts")).startStatefulSets),
  onRequest("daemonset", async () => (await import("./daemon-set/daemon-set.ts")).startDaemonSets),
  onRequest("deployment", async () => (await import("./deployment/deployment.ts")).startDeployments),
  onRequest("endpoint", async () => (await import("./endpoints/endpoints.ts")).startEndpoints),
  onRequest("endpointslice", async () => (await import("./endpoint-slice/endpoint-slice.ts")).startEndpointSlices),
  onRequest("job", async () => (await import("./job/job.ts")).startJobs),
  onRequest("cronjob", async () => (await import("./cron-job/cron-job.ts")).startCronJobs),
  onRequest("taint-eviction-controller", async () => (await import("./taint-eviction/taint-eviction.ts")).startTaintEviction),
  onRequest("ttl-after-finished", async () => (await import("./ttl-after-finished/ttl-after-finished.ts")).startTtlAfterFinished),
  onRequest("persistentvolumeclaim-protection", async () => (await import("./volume-protection/volume-protection.ts")).startClaimProtection),
  onRequest("persistentvolume-protection", async () => (await import("./volume-protection/volume-protection.ts")).startVolumeProtection),
  onRequest("volumeattributesclass-protection-controller", async () => (await import("./volume-protection/class-protection.ts")).startClassProtection),
  onRequest("endpointslicemirroring", async () => (await import("./endpoint-slice-mirroring/endpoint-slice-mirroring.ts")).startEndpointSliceMirroring),
  onRequest("disruption", async () => (await import("./disruption/disruption.ts")).startDisruption),
  onRequest("resourcequota", async () => (await import("./resource-quota/resource-quota.ts")).startResourceQuotas),
  { ...onRequest("pod-lifecycle", async () => (await import("./pod-lifecycle/pod-lifecycle.ts")).startPodLifecycle), byNameOnly: true },
];

/** A simulator that is off by default, and loaded no sooner than it is asked for. */
function onRequest(name: string, load: () => Promise<Simulator["start"]>): Simulator {
  return { name, byDefault: false, start: async (context) => (await load())(context) };
}

/** Field manager of updates: the first word of the user agent. */
const userAgent = "kube-controller-manager/v1.36.3";

/** `all`, `none`, `default`, or names; a name that is not known. */
export type SimulatorChoice = { readonly chosen: readonly Simulator[] } | { readonly unknown: string };

/** Chooses simulators as `--controllers` words it, e.g. `default`, `all`, `none`, `garbagecollector,namespace`. */
export function chooseSimulators(words: string): SimulatorChoice {
  const chosen = new Set<Simulator>();
  for (const word of words
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean)) {
    const named =
      word === "all"
        ? simulators.filter((one) => !one.byNameOnly)
        : word === "default"
          ? simulators.filter((one) => one.byDefault)
          : word === "none"
            ? []
            : simulators.filter((one) => one.name === word);
    if (named.length === 0 && word !== "none") return { unknown: word };
    for (const one of named) chosen.add(one);
  }
  return { chosen: [...chosen] };
}

/** Starts them over a transport of their own. They begin to watch at once and to work when they have seen everything; nobody waits for that. */
export async function startSimulators(
  chosen: readonly Simulator[],
  options: { readonly transport: Transport; readonly runtime: Runtime; readonly rootCa?: string; readonly warn: (message: string, error: unknown) => void },
): Promise<RunningSimulator> {
  const { transport, ...given } = options;
  const { runtime } = given;
  const client = createClient({ transport, runtime, userAgent });
  const cache = createCache({ client, runtime });
  cache.start();
  const kinds = createServedKinds(client, cache);
  const running: RunningSimulator[] = [];
  const stop = async (): Promise<void> => {
    for (let one = running.pop(); one; one = running.pop()) await one.stop();
    kinds.stop();
    await cache.stop();
  };
  try {
    for (const simulator of chosen) running.push(await simulator.start({ ...given, client, cache, kinds }));
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
