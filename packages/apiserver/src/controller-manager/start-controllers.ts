// The registry of controllers. Selects those of `--controllers`, starts them with one client and
// one cache, and stops them in reverse order.
// Upstream: k8s.io/kubernetes/cmd/kube-controller-manager/app/controllermanager.go.
import type { Transport } from "homeostat/api";
import { createCache } from "homeostat/cache";
import { createClient } from "homeostat/client";
import { kubernetesVersion } from "../apimachinery/kubernetes-version.ts";
import { garbageCollector } from "../controllers/garbage-collector/garbage-collector.ts";
import { namespaceController } from "../controllers/namespace/namespace-controller.ts";
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

/**
 * Every controller; a new one is one line here. The first name is the short one that
 * kube-controller-manager still accepts. The aliases include its current name.
 */
export const controllerDescriptors: readonly Descriptor[] = [
  garbageCollector,
  namespaceController,
  onRequest(
    ["serviceaccount", "serviceaccount-controller"],
    async () =>
      (await import("../controllers/service-account/service-account.ts"))
        .startServiceAccountController,
  ),
  onRequest(
    [
      "root-ca-certificate-publisher",
      "root-ca-certificate-publisher-controller",
      "root-ca-cert-publisher",
    ],
    async () =>
      (await import("../controllers/certificates/root-ca-cert-publisher/root-ca.ts"))
        .startRootCaCertificatePublisherController,
  ),
  onRequest(
    ["replicaset", "replicaset-controller"],
    async () =>
      (await import("../controllers/replica-set/replica-set.ts")).startReplicaSetController,
  ),
  onRequest(
    ["replicationcontroller", "replicationcontroller-controller"],
    async () =>
      (await import("../controllers/replication-controller/replication-controller.ts"))
        .startReplicationControllerController,
  ),
  onRequest(
    ["statefulset", "statefulset-controller"],
    async () =>
      (await import("../controllers/stateful-set/stateful-set.ts")).startStatefulSetController,
  ),
  onRequest(
    ["daemonset", "daemonset-controller"],
    async () => (await import("../controllers/daemon-set/daemon-set.ts")).startDaemonSetController,
  ),
  onRequest(
    ["deployment", "deployment-controller"],
    async () => (await import("../controllers/deployment/deployment.ts")).startDeploymentController,
  ),
  onRequest(
    ["endpoint", "endpoints-controller"],
    async () => (await import("../controllers/endpoints/endpoints.ts")).startEndpointsController,
  ),
  onRequest(
    ["endpointslice", "endpointslice-controller"],
    async () =>
      (await import("../controllers/endpoint-slice/endpoint-slice.ts"))
        .startEndpointSliceController,
  ),
  onRequest(
    ["job", "job-controller"],
    async () => (await import("../controllers/job/job.ts")).startJobController,
  ),
  onRequest(
    ["cronjob", "cronjob-controller"],
    async () => (await import("../controllers/cron-job/cron-job.ts")).startCronJobController,
  ),
  onRequest(
    ["taint-eviction-controller"],
    async () =>
      (await import("../controllers/taint-eviction/taint-eviction.ts"))
        .startTaintEvictionController,
  ),
  onRequest(
    ["ttl-after-finished", "ttl-after-finished-controller"],
    async () =>
      (await import("../controllers/ttl-after-finished/ttl-after-finished.ts"))
        .startTtlAfterFinishedController,
  ),
  onRequest(
    [
      "persistentvolumeclaim-protection",
      "persistentvolumeclaim-protection-controller",
      "pvc-protection",
    ],
    async () =>
      (await import("../controllers/volume/protection/volume-protection.ts"))
        .startPersistentVolumeClaimProtectionController,
  ),
  onRequest(
    ["persistentvolume-protection", "persistentvolume-protection-controller", "pv-protection"],
    async () =>
      (await import("../controllers/volume/protection/volume-protection.ts"))
        .startPersistentVolumeProtectionController,
  ),
  onRequest(
    ["volumeattributesclass-protection-controller"],
    async () =>
      (await import("../controllers/volume/protection/class-protection.ts"))
        .startVolumeAttributesClassProtectionController,
  ),
  onRequest(
    ["endpointslicemirroring", "endpointslice-mirroring-controller"],
    async () =>
      (await import("../controllers/endpoint-slice-mirroring/endpoint-slice-mirroring.ts"))
        .startEndpointSliceMirroringController,
  ),
  onRequest(
    ["disruption", "disruption-controller"],
    async () => (await import("../controllers/disruption/disruption.ts")).startDisruptionController,
  ),
  onRequest(
    ["resourcequota", "resourcequota-controller"],
    async () =>
      (await import("../controllers/resource-quota/resource-quota.ts"))
        .startResourceQuotaController,
  ),
  onRequest(
    ["csrsigning", "certificatesigningrequest-signing-controller"],
    async () =>
      (await import("../controllers/certificates/signer/csr-signing.ts"))
        .startCertificateSigningRequestSigningController,
  ),
  onRequest(
    ["csrapproving", "certificatesigningrequest-approving-controller"],
    async () =>
      (await import("../controllers/certificates/approver/csr-approving.ts"))
        .startCertificateSigningRequestApprovingController,
  ),
  onRequest(
    ["csrcleaner", "certificatesigningrequest-cleaner-controller"],
    async () =>
      (await import("../controllers/certificates/cleaner/csr-cleaner.ts"))
        .startCertificateSigningRequestCleanerController,
  ),
  onRequest(
    ["ttl", "ttl-controller"],
    async () => (await import("../controllers/ttl/ttl.ts")).startTtlController,
  ),
  onRequest(
    ["nodelifecycle", "node-lifecycle-controller"],
    async () =>
      (await import("../controllers/node-lifecycle/node-lifecycle.ts"))
        .startNodeLifecycleController,
  ),
  onRequest(
    ["podgc", "pod-garbage-collector-controller"],
    async () =>
      (await import("../controllers/pod-garbage-collector/pod-garbage-collector.ts"))
        .startPodGarbageCollectorController,
  ),
  onRequest(
    ["persistentvolume-binder", "persistentvolume-binder-controller"],
    async () =>
      (await import("../controllers/volume/persistent-volume-binder/volume-binder.ts"))
        .startPersistentVolumeBinderController,
  ),
  {
    ...onRequest(
      ["kube-scheduler"],
      async () => (await import("../scheduler/scheduler.ts")).startScheduler,
    ),
    byNameOnly: true,
  },
  {
    ...onRequest(
      ["kubelet"],
      async () => (await import("../fake-nodes/kubelet/kubelet.ts")).startKubelet,
    ),
    byNameOnly: true,
  },
  {
    ...onRequest(
      ["stages"],
      async () => (await import("../fake-nodes/stages/start-stages.ts")).startStages,
    ),
    byNameOnly: true,
  },
  {
    ...onRequest(
      ["volume-provisioner"],
      async () =>
        (await import("../controllers/volume/provisioner/volume-provisioner.ts"))
          .startVolumeProvisioner,
    ),
    byNameOnly: true,
  },
];

/** A controller that is off by default. Its module is loaded when it starts. */
function onRequest(
  [name, ...aliases]: readonly [string, ...string[]],
  load: () => Promise<Descriptor["start"]>,
): Descriptor {
  return { name, aliases, byDefault: false, start: async (context) => (await load())(context) };
}

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
    (one) => names.includes(one.name) || one.aliases?.includes(name),
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
  const client = createClient({ transport, runtime, userAgent });
  const cache = createCache({ client, runtime });
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
    for (const descriptor of chosen)
      running.push(
        await descriptor.start({ ...shared, stages, client, cache, kinds, chosen: names }),
      );
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop };
}
