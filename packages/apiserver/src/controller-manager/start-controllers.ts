// The registry of controllers. Selects those of `--controllers`, starts them with one client and
// one cache, and stops them in reverse order.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controllermanager.go.
import type { Transport } from "homeostat/api";
import { createCache } from "homeostat/cache";
import { createClient } from "homeostat/client";
import { kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { createServedKinds } from "../component-helpers/controller/served-kinds.ts";
import type {
  ControllerDescriptor,
  RunningController,
} from "../component-helpers/controller/controller.ts";
import type { FakeNodesContext } from "../fake-nodes/fake-nodes-context.ts";

type Descriptor = ControllerDescriptor<FakeNodesContext>;

/** The controllers that pods need to run on fake nodes. */
const podLifecycle = [
  "kube-scheduler",
  "kubelet",
  "volume-provisioner",
  "persistentvolume-binder",
  "nodelifecycle",
  "taint-eviction-controller",
  "podgc",
];

/** Names for several controllers. */
const groups: Readonly<Record<string, readonly string[]>> = { "pod-lifecycle": podLifecycle };

/** Every controller, in the order of their start; a new one is one row here. */
export const controllerDescriptors: readonly Descriptor[] = [
  {
    name: "garbagecollector",
    aliases: ["garbage-collector-controller"],
    load: () => import("../controllers/garbage-collector/garbage-collector.ts"),
    byDefault: true,
  },
  {
    name: "namespace",
    aliases: ["namespace-controller"],
    load: () => import("../controllers/namespace/namespace-controller.ts"),
    byDefault: true,
  },
  {
    name: "serviceaccount",
    aliases: ["serviceaccount-controller"],
    load: () => import("../controllers/service-account/service-account.ts"),
  },
  {
    name: "root-ca-certificate-publisher",
    aliases: ["root-ca-certificate-publisher-controller", "root-ca-cert-publisher"],
    load: () => import("../controllers/certificates/root-ca-cert-publisher/root-ca.ts"),
  },
  {
    name: "replicaset",
    aliases: ["replicaset-controller"],
    load: () => import("../controllers/replica-set/replica-set.ts"),
  },
  {
    name: "replicationcontroller",
    aliases: ["replicationcontroller-controller"],
    load: () => import("../controllers/replication-controller/replication-controller.ts"),
  },
  {
    name: "statefulset",
    aliases: ["statefulset-controller"],
    load: () => import("../controllers/stateful-set/stateful-set.ts"),
  },
  {
    name: "daemonset",
    aliases: ["daemonset-controller"],
    load: () => import("../controllers/daemon-set/daemon-set.ts"),
  },
  {
    name: "deployment",
    aliases: ["deployment-controller"],
    load: () => import("../controllers/deployment/deployment.ts"),
  },
  {
    name: "endpoint",
    aliases: ["endpoints-controller"],
    load: () => import("../controllers/endpoints/endpoints.ts"),
  },
  {
    name: "endpointslice",
    aliases: ["endpointslice-controller"],
    load: () => import("../controllers/endpoint-slice/endpoint-slice.ts"),
  },
  {
    name: "job",
    aliases: ["job-controller"],
    load: () => import("../controllers/job/job.ts"),
  },
  {
    name: "cronjob",
    aliases: ["cronjob-controller"],
    load: () => import("../controllers/cron-job/cron-job.ts"),
  },
  {
    name: "taint-eviction-controller",
    aliases: [],
    load: () => import("../controllers/taint-eviction/taint-eviction.ts"),
  },
  {
    name: "ttl-after-finished",
    aliases: ["ttl-after-finished-controller"],
    load: () => import("../controllers/ttl-after-finished/ttl-after-finished.ts"),
  },
  {
    name: "persistentvolumeclaim-protection",
    aliases: ["persistentvolumeclaim-protection-controller", "pvc-protection"],
    load: () => import("../controllers/volume/protection/claim-protection.ts"),
  },
  {
    name: "persistentvolume-protection",
    aliases: ["persistentvolume-protection-controller", "pv-protection"],
    load: () => import("../controllers/volume/protection/volume-protection.ts"),
  },
  {
    name: "volumeattributesclass-protection-controller",
    aliases: [],
    load: () => import("../controllers/volume/protection/class-protection.ts"),
  },
  {
    name: "endpointslicemirroring",
    aliases: ["endpointslice-mirroring-controller"],
    load: () => import("../controllers/endpoint-slice-mirroring/endpoint-slice-mirroring.ts"),
  },
  {
    name: "disruption",
    aliases: ["disruption-controller"],
    load: () => import("../controllers/disruption/disruption.ts"),
  },
  {
    name: "resourcequota",
    aliases: ["resourcequota-controller"],
    load: () => import("../controllers/resource-quota/resource-quota.ts"),
  },
  {
    name: "csrsigning",
    aliases: ["certificatesigningrequest-signing-controller"],
    load: () => import("../controllers/certificates/signer/csr-signing.ts"),
  },
  {
    name: "csrapproving",
    aliases: ["certificatesigningrequest-approving-controller"],
    load: () => import("../controllers/certificates/approver/csr-approving.ts"),
  },
  {
    name: "csrcleaner",
    aliases: ["certificatesigningrequest-cleaner-controller"],
    load: () => import("../controllers/certificates/cleaner/csr-cleaner.ts"),
  },
  {
    name: "clusterrole-aggregation",
    aliases: ["clusterrole-aggregation-controller"],
    byDefault: true,
    load: () => import("../controllers/cluster-role-aggregation/cluster-role-aggregation.ts"),
  },
  {
    name: "ttl",
    aliases: ["ttl-controller"],
    load: () => import("../controllers/ttl/ttl.ts"),
  },
  {
    name: "nodelifecycle",
    aliases: ["node-lifecycle-controller"],
    load: () => import("../controllers/node-lifecycle/node-lifecycle.ts"),
  },
  {
    name: "podgc",
    aliases: ["pod-garbage-collector-controller"],
    load: () => import("../controllers/pod-garbage-collector/pod-garbage-collector.ts"),
  },
  {
    name: "persistentvolume-binder",
    aliases: ["persistentvolume-binder-controller"],
    load: () => import("../controllers/volume/persistent-volume-binder/volume-binder.ts"),
  },
  {
    name: "validatingadmissionpolicy-status-controller",
    aliases: [],
    load: () => import("../controllers/validating-admission-policy-status/policy-status.ts"),
  },
  {
    name: "storage-version-migrator-controller",
    aliases: ["svm"],
    load: () => import("../controllers/storage-version-migrator/storage-version-migrator.ts"),
  },
  {
    name: "kube-scheduler",
    aliases: [],
    load: () => import("../scheduler/scheduler.ts"),
    byNameOnly: true,
  },
  {
    name: "kubelet",
    aliases: [],
    load: () => import("../fake-nodes/kubelet/kubelet.ts"),
    byNameOnly: true,
  },
  {
    name: "stages",
    aliases: [],
    load: () => import("../fake-nodes/stages/start-stages.ts"),
    byNameOnly: true,
  },
  {
    name: "volume-provisioner",
    aliases: [],
    load: () => import("../fake-nodes/provisioner/volume-provisioner.ts"),
    byNameOnly: true,
  },
];

/** Field manager of updates: the user agent up to the slash. */
const userAgent = `kube-controller-manager/${kubernetesVersion}`;

/** The chosen controllers, or what is wrong with the choice. */
export type ControllerChoice =
  | { readonly chosen: readonly Descriptor[] }
  | { readonly problem: string };

/**
 * Parses the value of `--controllers`, e.g. `default`, `all`, `none`, `*,-job`,
 * `garbagecollector,namespace`. `-name` removes a controller, whatever its position. `needed`
 * controllers are added, also to `none`.
 */
export function chooseControllers(value: string, needed: readonly string[] = []): ControllerChoice {
  const names = value
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const additions = names.filter((name) => !name.startsWith("-"));
  const removed = names.filter((name) => name.startsWith("-")).map((name) => name.slice(1));
  const unknown = [...additions, ...removed].find((name) => !controllersNamed(name));
  if (unknown !== undefined) return { problem: unknownController(unknown) };
  if (names.includes("none") && names.length > 1)
    return { problem: `expected none alone, or names without none, got ${JSON.stringify(value)}` };
  const find = (each: readonly string[]): ReadonlySet<Descriptor> =>
    new Set(each.flatMap((name) => controllersNamed(name) ?? []));
  return { chosen: [...find([...additions, ...needed]).difference(find(removed))] };
}

const unknownController = (name: string): string =>
  `unknown controller ${JSON.stringify(name)}; expected default, all (or *), none, or any of ${controllerNames().join(", ")}; a leading dash excludes a controller`;

/** The names of controllers and groups that `--controllers` accepts, without aliases. */
export const controllerNames = (): readonly string[] => [
  ...controllerDescriptors.map(({ name }) => name),
  ...Object.keys(groups),
];

function controllersNamed(name: string): readonly Descriptor[] | undefined {
  if (name === "all" || name === "*") return controllerDescriptors.filter((one) => !one.byNameOnly);
  if (name === "default") return controllerDescriptors.filter((one) => one.byDefault);
  if (name === "none") return [];
  const names = groups[name] ?? [name];
  const found = controllerDescriptors.filter(
    (one) => names.includes(one.name) || one.aliases.includes(name),
  );
  return found.length > 0 ? found : undefined;
}

/**
 * Starts controllers with a client of `transport`. Does not wait for their caches to sync; they
 * begin to work once theirs has.
 */
export async function startControllers(
  chosen: readonly Descriptor[],
  options: Pick<
    FakeNodesContext,
    "runtime" | "kindData" | "rootCa" | "signer" | "fakeNodes" | "warn"
  > & {
    readonly transport: Transport;
    readonly stages?: FakeNodesContext["stages"];
  },
): Promise<RunningController> {
  const { transport, stages = [], ...shared } = options;
  const { runtime } = shared;
  const observer = { warned: () => {} };
  const client = createClient({ transport, runtime, userAgent, observer });
  // A stream inside the process cannot fall silent, so that its watches last as long as upstream's.
  const cache = createCache({ client, runtime, limits: { renewMs: 300_000 } });
  cache.start();
  const kinds = createServedKinds(client, cache);
  const names = new Set(chosen.map(({ name }) => name));
  const running: RunningController[] = [];
  const stop = async (): Promise<void> => {
    for (let one = running.pop(); one; one = running.pop()) await one.stop();
    kinds.stop();
    await cache.stop();
  };
  try {
    for (const descriptor of chosen) {
      const { start } = await descriptor.load();
      running.push(await start({ ...shared, stages, client, cache, kinds, chosen: names }));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
