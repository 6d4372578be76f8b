// All metrics of a manager: those of the process once, those of each of its clusters, and the
// user's own. With several clusters every series of a cluster has the label `cluster`, and ends
// when the cluster leaves.
import type { Transport } from "../../api/transport.ts";
import type { Informer } from "../../cache/index.ts";
import type { ClientScope } from "../../client/client.ts";
import { createMetrics, type Gauge, type Labels, type Metrics } from "../../metrics/index.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import type { HookObserver } from "../../webhook/exchange.ts";
import { countRequests } from "./client-metrics.ts";
import { type ControllerMetrics, countController } from "./controller-metrics.ts";
import { countEventLoopDelay } from "./event-loop-delay.ts";
import { informerFamilies } from "./informer-metrics.ts";
import { processFamilies } from "./process-metrics.ts";
import { type RingGauges, ringGauges } from "./ring-metrics.ts";
import { countWebhooks } from "./webhook-metrics.ts";

/** What one cluster's manager counts. */
export interface ClusterMetrics {
  requests(transport: Transport): NonNullable<ClientScope["answered"]>;
  controller(of: { readonly name: string; readonly concurrency: number }): ControllerMetrics;
  /** Reads the informers whenever metrics are read. */
  informers(read: () => readonly Informer[]): void;
  /** Counts the reviews of webhooks that are served at these paths. */
  webhooks(paths: readonly string[]): HookObserver;
  /** The series of a Lease: 1 while this process leads, 0 while it stands by. */
  leaderStatus(lease: string): Gauge;
  ringGauges(ring: string): RingGauges;
  /** Ends its series. */
  release(): void;
}

/** The metrics of a manager. */
export class OperatorMetrics {
  /** What is counted once in a process, by others too. */
  readonly set = createMetrics();
  readonly #runtime: Runtime;
  #delays: { stop(): void } | undefined;

  /** @param custom the user's own */
  constructor(runtime: Runtime, custom: Metrics | undefined) {
    this.#runtime = runtime;
    this.set.collect(processFamilies(runtime.clock));
    if (custom) this.set.collect(() => custom.families());
  }

  /** Begins to count what needs a timer. */
  start(): void {
    this.#delays = countEventLoopDelay(this.set, this.#runtime.clock);
  }

  stop(): void {
    this.#delays?.stop();
  }

  text(): string {
    return this.set.text();
  }

  /** @param cluster undefined with a manager of one client */
  ofCluster(cluster: string | undefined): ClusterMetrics {
    const set = createMetrics();
    const collector = this.set.collect(() => set.families());
    const { clock } = this.#runtime;
    const labels: Labels = cluster === undefined ? {} : { cluster };
    return {
      requests: (transport) => countRequests(set, transport, labels),
      controller: (of) => countController(set, of, labels),
      informers: (read) => void set.collect(() => informerFamilies(read(), labels, clock.now())),
      webhooks: (paths) => countWebhooks(set, { paths, labels, clock }),
      leaderStatus: (name) => leaderStatus(set, { ...labels, name }),
      ringGauges: (name) => ringGauges(set, { ...labels, name }),
      release: () => collector.remove(),
    };
  }
}

/** Upstream: sigs.k8s.io/controller-runtime@v0.24.1 pkg/metrics/leaderelection.go. */
function leaderStatus(set: Metrics, labels: Labels): Gauge {
  const status = set.gauge({
    name: "leader_election_master_status",
    help: "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name.",
    labels: Object.keys(labels),
  });
  return status.with(labels);
}
