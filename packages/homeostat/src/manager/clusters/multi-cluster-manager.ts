// The manager of several clusters: one cluster manager each, which come and go. They share nothing
// but the log: a cluster that is down holds up no other, and keys of the same name never meet.
// Upstream: sigs.k8s.io/multicluster-runtime pkg/manager.
import type { Client } from "../../client/client.ts";
import { followSource } from "../../controller/follow-source.ts";
import { guardLog } from "../../util/guard-log.ts";
import { createSystemRuntime } from "../../runtime/system-runtime.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { type ClusterManager, createClusterManager } from "../cluster-manager.ts";
import { createLog } from "../log/create-log.ts";
import type {
  ClusterSource,
  CoreManager,
  Manager,
  MultiClusterOptions,
} from "../manager-options.ts";
import { nameControllers } from "../name-controllers.ts";
import type { Operations } from "../operations.ts";
import { checkNamespaces } from "../scope/watched-scope.ts";
import { createTransitions, refuseIfStopped } from "../transitions.ts";
import { clusterLog } from "./cluster-log.ts";
import { EngagedClusters } from "./engaged-clusters.ts";

/** Creates a manager of several clusters. */
export function createMultiClusterManager(
  given: MultiClusterOptions,
  operations: Operations,
): CoreManager {
  const options = { ...given, operations, runtime: given.runtime ?? createSystemRuntime() };
  nameControllers(options);
  checkNamespaces(options);
  const fleet = new Fleet(options);
  const all = <T>(read: (manager: ClusterManager) => readonly T[]): readonly T[] =>
    fleet.managers().flatMap((manager) => read(manager));
  const { start, stop } = createTransitions(options.operator, fleet);
  return {
    start,
    stop,
    states: () => all((one) => one.states()),
    explain: (kind, key) => all((one) => one.explain(kind, key)),
    pause: (kind, key) => fleet.managers().forEach((one) => one.pause(kind, key)),
    resume: (kind, key) => fleet.managers().forEach((one) => one.resume(kind, key)),
    breaches: () => all((one) => one.breaches()),
    isIdle: () => fleet.managers().every((one) => one.isIdle()),
    elections: () => all((one) => one.elections()),
    inspect: () => all((one) => one.inspect()),
    rings: () => all((one) => one.rings()),
    readiness: () => fleet.readiness(),
    cacheStats: () => all((one) => one.cacheStats()),
    freshness: () => all((one) => one.freshness()),
  };
}

type Options = MultiClusterOptions &
  Required<Pick<MultiClusterOptions, "runtime">> & { readonly operations: Operations };

/** The clusters while the manager runs. */
class Fleet {
  readonly stopping = new AbortController();
  readonly #options: Options;
  #clusters: EngagedClusters | undefined;
  #hasSet = false;

  constructor(options: Options) {
    this.#options = options;
  }

  managers(): readonly ClusterManager[] {
    return this.#clusters?.managers() ?? [];
  }

  readiness(): ReturnType<Manager["readiness"]> {
    if (this.stopping.signal.aborted) return { ready: false, reasons: ["the manager is stopping"] };
    if (this.#hasSet) return this.#clusters!.readiness();
    return { ready: false, reasons: ["the clusters are not known yet"] };
  }

  async start(): Promise<void> {
    const { operator, clusters, operations, ...settings } = this.#options;
    const log = guardLog(settings.log ?? (await createLog()));
    refuseIfStopped(operator, this.stopping);
    this.#clusters = new EngagedClusters({
      log,
      create: (cluster, client) =>
        createClusterManager({
          ...settings,
          metrics: operations.metrics?.ofCluster(cluster),
          tracing: operations.tracing,
          introspection: operations.introspection,
          watchdog: operations.watchdog,
          operator,
          client,
          cluster,
          log: clusterLog(log, cluster),
        }),
    });
    if (typeof clusters === "function") await this.#follow(clusters);
    else await this.#setOnce(clusters);
    refuseIfStopped(operator, this.stopping);
  }

  hurry(timeoutMs: number): void {
    this.#clusters?.hurry({ timeoutMs });
  }

  async stop(starting: Promise<void> | undefined): Promise<void> {
    await this.#clusters?.stop();
    await starting?.catch(() => {});
    await this.#clusters?.stop();
  }

  /** What cannot start, such as one server under two names, is a mistake here. */
  async #setOnce(clusters: Readonly<Record<string, Client>>): Promise<void> {
    this.#hasSet = true;
    const failures = await this.#heard(this.#clusters!.set(checkClusters(clusters)));
    if (!failures || failures.length === 0) return;
    await this.#clusters!.stop();
    throw failures[0];
  }

  /** Follows the source; resolves when its first clusters have started. */
  async #follow(source: ClusterSource): Promise<void> {
    const { runtime } = this.#options;
    const first = Promise.withResolvers<unknown>();
    void followSource({
      clock: runtime.clock,
      log: this.#clusters!.log,
      title: "the source of clusters",
      fields: {},
      signal: this.stopping.signal,
      open: source,
      receive: (clusters) => {
        const set = this.#clusters!.set(checkClusters(clusters));
        this.#hasSet = true;
        first.resolve(set);
      },
    }).then(first.resolve);
    await this.#heard(first.promise);
  }

  /** The result, unless it takes longer than the caches may. */
  async #heard<T>(work: Promise<T>): Promise<T | undefined> {
    const { runtime, syncTimeoutMs = 120_000 } = this.#options;
    const late = Promise.withResolvers<undefined>();
    const timer = runtime.clock.timer(syncTimeoutMs, () => late.resolve(undefined));
    this.stopping.signal.addEventListener("abort", () => late.resolve(undefined), { once: true });
    return Promise.race([work, late.promise]).finally(() => timer.cancel());
  }
}

/** @throws ERR_MANAGER_CLUSTERS */
function checkClusters(clusters: unknown): ReadonlyMap<string, Client> {
  const entries = Object.entries((clusters ?? {}) as Readonly<Record<string, Client | undefined>>);
  const wrong = entries.find(([name, client]) => name === "" || !client?.transport);
  if (typeof clusters === "object" && clusters !== null && !wrong)
    return new Map(entries as [string, Client][]);
  throw new HomeostatError(
    "ERR_MANAGER_CLUSTERS",
    wrong ? `the cluster "${wrong[0]}" has no client` : "expected clients by the name of a cluster",
    { hint: "give clients of `createClient`, by the names of their clusters" },
  );
}
