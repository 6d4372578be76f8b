// Removes pods that nobody else will: looks at all of them every twenty seconds. A node that is missing is asked for after a
// while, because the news of it may only be late.
// Upstream: k8s.io/kubernetes/pkg/controller/podgc/gc_controller.go.
import { isNotFound } from "homeostat/api";
import type { Informer } from "homeostat/cache";
import { KeyedController } from "../keyed-controller.ts";
import { isPodFinished } from "../pod-state.ts";
import type { Simulator, SimulatorContext } from "../simulator.ts";
import { formatSeconds, type Node, nodeKind, type Pod, podKind, type WorkloadKind } from "../workload-objects.ts";
import { type CollectedPod, missingNodes, podsToCollect } from "./pods-to-collect.ts";

/** `--terminated-pod-gc-threshold`, as it is by default. */
const endedLimit = 12_500;
const periodMs = 20_000;
const quarantineMs = 40_000;

/** Starts the collector of pods. */
export const startPodGc: Simulator["start"] = async (context) => {
  const controller = new KeyedController(context, "the collector of pods");
  const collector = new PodCollector(context, { pods: controller.acquire(podKind), nodes: controller.acquire(nodeKind) });
  controller.add("pods");
  return controller.start(async () => {
    await collector.collect();
    return periodMs;
  });
};

class PodCollector {
  readonly #context: SimulatorContext;
  readonly #pods: Informer<WorkloadKind<Pod>>;
  readonly #nodes: Informer<WorkloadKind<Node>>;
  /** When a missing node is asked for, on the monotonic clock. */
  readonly #quarantine = new Map<string, number>();

  constructor(context: SimulatorContext, { pods, nodes }: { readonly pods: Informer<WorkloadKind<Pod>>; readonly nodes: Informer<WorkloadKind<Node>> }) {
    this.#context = context;
    this.#pods = pods;
    this.#nodes = nodes;
  }

  async collect(): Promise<void> {
    const pods = this.#pods.list();
    const nodes = new Map(this.#nodes.list().map((node) => [node.metadata.name, node]));
    const goneNodes = await this.#goneNodes(missingNodes(pods, nodes));
    for (const each of podsToCollect(pods, { nodes, goneNodes, endedLimit })) {
      // One that cannot be removed does not keep the others; it comes by again.
      await this.#remove(each).catch((error: unknown) => this.#tell(each.pod, error));
    }
  }

  async #goneNodes(missing: readonly string[]): Promise<ReadonlySet<string>> {
    const { client, runtime } = this.#context;
    const now = runtime.clock.monotonic();
    for (const name of missing) if (!this.#quarantine.has(name)) this.#quarantine.set(name, now + quarantineMs);
    const due = [...this.#quarantine].filter(([, at]) => at <= now).map(([name]) => name);
    const gone = new Set<string>();
    for (const name of due) {
      this.#quarantine.delete(name);
      if (missing.includes(name) && !(await client.find(nodeKind, { name }))) gone.add(name);
    }
    return gone;
  }

  /** Fails a pod first: of an orphaned one nobody else would ever say that it has ended. */
  async #remove({ pod, orphaned }: CollectedPod): Promise<void> {
    const { client } = this.#context;
    const { name, namespace, uid, generation } = pod.metadata;
    const observed = generation ? { observedGeneration: generation } : {};
    const conditions = orphaned ? { conditions: [{ ...disrupted, ...observed, lastTransitionTime: formatSeconds(this.#context.runtime.clock.now()) }] } : {};
    if (!isPodFinished(pod)) {
      const body = { metadata: { uid }, status: { phase: "Failed", ...observed, ...conditions } };
      await client.patch(podKind, { name, namespace }, { type: "strategic", body }, { subresource: "status" });
    }
    await client.delete(podKind, { name, namespace }, { gracePeriodSeconds: 0 });
  }

  #tell({ metadata: { name, namespace } }: Pod, error: unknown): void {
    if (!isNotFound(error)) this.#context.warn(`the collector of pods could not remove ${namespace}/${name}`, error);
  }
}

const disrupted = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC", message: "PodGC: node no longer exists" } as const;
