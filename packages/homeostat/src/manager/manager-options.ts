// The interface of a manager and its options.
import type { Kind } from "../api/kind.ts";
import type { CachedKind, Freshness, InformerScope, InformerStats } from "../cache/index.ts";
import type { Client } from "../client/client.ts";
import type { ControllerRunner } from "../controller/controller-runner.ts";
import type { Breach } from "../controller/boundaries/breaches.ts";
import type { Controller, ReconcileLog, Reports } from "../controller/define-controller.ts";
import type { ObjectState } from "../controller/object-state.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { ElectionReport } from "../election/elector.ts";
import type { RingReport } from "../election/ring/ring-member.ts";
import type { ElectionOptions } from "./election/election-options.ts";
import type { WebhooksOptions } from "../webhook/webhooks-options.ts";
import type { Introspection } from "./introspection/introspection.ts";
import type { ClusterInspection } from "./introspection/cluster-inspection.ts";
import type { ClusterMetrics } from "./metrics/operator-metrics.ts";
import type { OpenPorts } from "./serving/operator-servers.ts";
import type { ShardingOptions } from "./sharding/sharding-options.ts";
import type { HealthOptions, MetricsOptions } from "./serving/serving-options.ts";
import type { Tracing } from "./tracing/tracing.ts";
import type { TracingOptions } from "./tracing/tracing-options.ts";
import type { Watchdog } from "./watchdog/watchdog.ts";
import type { WatchdogOptions } from "./watchdog/watchdog-options.ts";
import type { StopOptions } from "./transitions.ts";
import type { WatchedNamespaces } from "./scope/watched-scope.ts";

/** Options of a manager. */
export interface ManagerOptions {
  /** The operator's permanent name: field managers are `<operator>/<controller>`. */
  readonly operator: string;
  readonly controllers: readonly Controller[];
  /** The client; the caller closes it. */
  readonly client: Client;
  /** See {@link MultiClusterOptions}. */
  readonly clusters?: undefined;
  /** Restricts all watches to this namespace. Default: all namespaces. */
  readonly namespace?: string | undefined;
  /**
   * Restricts all watches to these namespaces, or to those whose labels match, as they come and
   * go: `{ labels: { team: "web" } }`. Rights in these namespaces suffice; a selection by labels
   * also needs to list and watch Namespaces.
   */
  readonly namespaces?: WatchedNamespaces | undefined;
  /**
   * What is cached of single kinds: `cache: { kinds: [[Pod, { labelSelector: "app=web" }]] }`.
   * Objects that are not selected do not exist for controllers, owned ones included, so label what
   * `own` makes. For metadata or some fields alone, declare
   * `metadataOf(kind)` or `fieldsOf(kind, …)` in refs or watches.
   */
  readonly cache?: { readonly kinds: readonly CachedKind[] } | undefined;
  /**
   * Admission and conversion webhooks, see `homeostat/webhook`. Every replica serves them, before
   * its caches start.
   */
  readonly webhooks?: WebhooksOptions;
  readonly runtime?: Runtime;
  /** The log. Default: {@link createLog}, lines on a terminal and JSON elsewhere. */
  readonly log?: ReconcileLog;
  /** What the runtime reports by itself. Default: Events and conditions. */
  readonly reports?: Reports;
  /**
   * Time for running reconciles at shutdown before their signals abort. Default 30 s, as
   * controller-runtime (pkg/manager/internal.go).
   */
  readonly shutdownTimeoutMs?: number;
  /**
   * Time for caches to sync until `start` settles. Default 2 min, as controller-runtime's
   * CacheSyncTimeout (pkg/controller/controller.go).
   */
  readonly syncTimeoutMs?: number;
  /**
   * Elects one of the operator's replicas by a Lease: the others stand by. `{}` in a pod,
   * `{ namespace }` elsewhere. Each of several clusters has its own election. Default: none, for an
   * operator of one replica.
   */
  readonly election?: ElectionOptions;
  /**
   * Shares the objects among the operator's replicas: each object is reconciled by one of them at
   * any time. `{}` in a pod, `{ namespace }` elsewhere. Default: none.
   */
  readonly sharding?: ShardingOptions;
  /**
   * Several managers of this process that set this may run the same controllers on the same server,
   * as replicas of one operator do: for tests. Default: ERR_CONTROLLER_RUNNING.
   */
  readonly allowReplicas?: boolean;
  /** Serves probes, on port 8081 unless it says otherwise. Default: no port is opened. */
  readonly health?: HealthOptions | undefined;
  /**
   * Counts, under the names of controller-runtime's metrics, and serves `/metrics`. Default:
   * nothing is counted and no port is opened.
   */
  readonly metrics?: MetricsOptions | undefined;
  /**
   * Spans by OpenTelemetry: a reconcile, its requests, a review of a webhook. Default: none, and
   * nothing is loaded.
   */
  readonly tracing?: TracingOptions | undefined;
  /**
   * Reports an event loop that is blocked, and in which reconcile, from a thread of its own.
   * Default: none.
   */
  readonly watchdog?: boolean | WatchdogOptions | undefined;
  /** Called for every change of an object's state. Must not throw. */
  readonly changed?: (state: ObjectState) => void;
}

/** Options of one cluster's manager. */
export interface ClusterManagerOptions extends Omit<
  ManagerOptions,
  "health" | "metrics" | "tracing" | "watchdog"
> {
  /** Its name, where there are several: its server is then awaited for ever. */
  readonly cluster?: string;
  /** Undefined when nothing is counted. */
  readonly metrics?: ClusterMetrics | undefined;
  /** Undefined when nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** Undefined when nothing is recorded for introspection. */
  readonly introspection?: Introspection | undefined;
  /** Undefined when nobody watches the event loop. */
  readonly watchdog?: Watchdog | undefined;
}

/**
 * The clients of several clusters by name; the caller closes them. Given by hand, or by a source
 * that yields all of them again whenever one joins or leaves: a cluster with another client than
 * before is left and joined anew.
 */
export type Clusters = Readonly<Record<string, Client>> | ClusterSource;

/** Yields the clusters. The signal aborts when the manager stops. */
export type ClusterSource = (
  signal: AbortSignal,
) => AsyncIterable<Readonly<Record<string, Client>>>;

/**
 * Options of a manager of several clusters. Each has caches, queues and workers of its own, so that
 * none waits for another; all other options hold for each.
 */
export interface MultiClusterOptions extends Omit<ManagerOptions, "client" | "clusters"> {
  readonly clusters: Clusters;
  readonly client?: undefined;
}

/** `namespace/name` or `name`, of all clusters or of one. */
export type RequestKey = string | { readonly cluster: string; readonly key: string };

/** The cluster that a report is about; absent with a manager of one client. */
interface OfCluster {
  readonly cluster?: string;
}

/** A manager of controllers. */
export interface Manager {
  /**
   * Resolves once all controllers run or, with `election`, stand by; each as soon as its own kinds
   * have synced; after `syncTimeoutMs` when some run: the others follow once their kinds sync. Of
   * several clusters, those count whose servers do not fail; the others follow when they can. A
   * manager starts once.
   * @throws ERR_MANAGER_SYNC when no controller runs in time, ERR_MANAGER_STATE,
   * ERR_MANAGER_STOPPED when it is stopped meanwhile, ERR_CONTROLLER_RUNNING when a running manager
   * of this process has a controller of the same names on the same server.
   */
  start(): Promise<void>;
  /**
   * Stops, also during the start; idempotent. Running reconciles finish, queued ones do not begin;
   * those that do not end within `shutdownTimeoutMs` are abandoned and logged. A shorter
   * `timeoutMs` also holds for a stop that is under way; 0 cuts all that still runs.
   */
  stop(options?: StopOptions): Promise<void>;
  /**
   * Starts, and stops when `signal` aborts or on SIGINT or SIGTERM. Resolves once stopped. A second
   * signal of the process cuts what still runs; it then rejects with ERR_MANAGER_CUT.
   * @throws ERR_ELECTION_LOST when it stops because it has lost its Lease
   */
  run(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The state of every object with each controller. */
  states(): readonly ObjectState[];
  /** What triggered an object last, what it waits for, when it runs next. */
  explain(
    kind: Kind,
    key: RequestKey,
  ): readonly (OfCluster & ReturnType<ControllerRunner["explain"]>)[];
  /**
   * Reconciles an object no more, by any of this manager's controllers, until `resume`. A running
   * reconcile goes on.
   */
  pause(kind: Kind, key: RequestKey): void;
  resume(kind: Kind, key: RequestKey): void;
  /**
   * What controllers depend on without declaring it, and results that they drop, each once; also in
   * the log and as an Event.
   */
  breaches(): readonly Breach[];
  /** True when no key of any controller is queued or being processed. */
  isIdle(): boolean;
  /** Whether this replica leads, who does, and how its Lease fares; empty without `election`. */
  elections(): readonly (OfCluster & ElectionReport)[];
  /** Who shares the objects, and how much of them this replica has; empty without `sharding`. */
  rings(): readonly (OfCluster & RingReport)[];
  /**
   * Ready when every cache is known to be fresh and the API server calls all webhooks; otherwise
   * with one reason for each that is not. Namespaces that are left out, because this user may not
   * read them, are named and do not count.
   */
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] };
  /** What each cache holds, and how much memory it needs, for metrics. */
  cacheStats(): readonly (OfCluster &
    InformerStats & {
      readonly kind: Kind;
      readonly scope: InformerScope;
    })[];
  freshness(): readonly (OfCluster & { readonly kind: Kind; readonly freshness: Freshness })[];
  /** The metrics in Prometheus' text format; "" without the option `metrics`. */
  metrics(): string;
  /** The ports that are open, from the start on. */
  ports(): OpenPorts;
}

/** What a manager does without what is around it: operations, and the signals of the process. */
export type CoreManager = Omit<Manager, "run" | "metrics" | "ports"> & {
  /** Rejects when the manager stops by itself, with the reason. */
  readonly ended?: Promise<never>;
  /** What its parts do now. */
  inspect(): readonly ClusterInspection[];
};
