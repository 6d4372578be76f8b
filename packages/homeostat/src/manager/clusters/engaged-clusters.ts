// The clusters that are at work, brought in line with a given set: those that left are stopped,
// those that joined are started, independently of each other.
import type { Client } from "../../client/client.ts";
import type { ReconcileLog } from "../../controller/define-controller.ts";
import { describeError } from "../../util/describe-error.ts";
import { isSameServer } from "../claim-names.ts";
import type { ClusterManager } from "../cluster-manager.ts";
import type { StopOptions } from "../transitions.ts";

type Readiness = ReturnType<ClusterManager["readiness"]>;

/** What makes clusters work. */
export interface EngagedClustersOptions {
  readonly log: ReconcileLog;
  create(cluster: string, client: Client): ClusterManager;
}

interface Engaged {
  readonly client: Client;
  readonly manager: ClusterManager;
  hasStarted: boolean;
  /** Why it cannot start; it is tried again with the next set. */
  error?: unknown;
}

/** Clusters by name. */
export class EngagedClusters {
  readonly log: ReconcileLog;
  readonly #create: EngagedClustersOptions["create"];
  readonly #engaged = new Map<string, Engaged>();
  /** Those that stop, until they have. */
  readonly #leaving = new Map<Promise<void>, Pick<Engaged, "client" | "manager">>();

  constructor({ log, create }: EngagedClustersOptions) {
    this.log = log;
    this.#create = create;
  }

  managers(): readonly ClusterManager[] {
    return Array.from(this.#engaged.values(), ({ manager }) => manager);
  }

  /** Ready when all are; each reason names its cluster. */
  readiness(): Readiness {
    const all = Array.from(this.#engaged, ([name, engaged]) => ({ name, ...readinessOf(engaged) }));
    const reasons = all.flatMap((one) =>
      one.reasons.map((reason) => `cluster ${one.name}: ${reason}`),
    );
    return { ready: all.every(({ ready }) => ready), reasons };
  }

  /**
   * Stops the clusters that are not in the set and starts those that are new. Resolves when each
   * new one has started or its server has failed, with the errors of those that cannot start.
   */
  async set(clusters: ReadonlyMap<string, Client>): Promise<readonly unknown[]> {
    for (const [name, { client, error }] of this.#engaged)
      if (clusters.get(name) !== client || error !== undefined) this.#disengage(name);
    const added = [...clusters].filter(([name]) => !this.#engaged.has(name));
    const starting = added.map(([name, client]) => this.#engage(name, client));
    return (await Promise.all(starting)).filter((error) => error !== undefined);
  }

  /** Stops all. */
  async stop(): Promise<void> {
    for (const name of this.#engaged.keys()) this.#disengage(name);
    await Promise.all(this.#leaving.keys());
  }

  /** None takes longer to stop than this. */
  hurry(options: StopOptions): void {
    for (const { manager } of [...this.#engaged.values(), ...this.#leaving.values()])
      void manager.stop(options);
  }

  #disengage(name: string): void {
    const { manager, client } = this.#engaged.get(name)!;
    this.#engaged.delete(name);
    const stopped = manager.stop().finally(() => this.#leaving.delete(stopped));
    this.#leaving.set(stopped, { client, manager });
  }

  /** Never rejects. */
  async #engage(name: string, client: Client): Promise<unknown> {
    const engaged: Engaged = { client, manager: this.#create(name, client), hasStarted: false };
    this.#engaged.set(name, engaged);
    await this.#departed(client);
    const starting = engaged.manager.start().then(
      () => {
        engaged.hasStarted = true;
      },
      (error: unknown) => {
        if (this.#engaged.get(name) !== engaged) return;
        engaged.error = error;
        this.log.error(describeError(error), { cluster: name, error });
      },
    );
    await Promise.race([starting, engaged.manager.heard()]);
    return engaged.error;
  }

  /** Resolves when no manager that left works on the client's server any more. */
  async #departed({ transport }: Client): Promise<void> {
    const same = [...this.#leaving].filter(([, { client }]) =>
      isSameServer(client.transport, transport),
    );
    await Promise.all(same.map(([stopped]) => stopped));
  }
}

function readinessOf({ manager, error, hasStarted }: Engaged): Readiness {
  if (error !== undefined) return { ready: false, reasons: [describeError(error)] };
  const readiness = manager.readiness();
  if (hasStarted || !readiness.ready) return readiness;
  return { ready: false, reasons: ["it is being started"] };
}
