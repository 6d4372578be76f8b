// One election: a namespace of its own, its candidates, and the log that judges them.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { ConfigMap, Namespace } from "homeostat/k8s/core/v1";
import type { ElectionTimings } from "../../../packages/homeostat/src/election/election-timings.ts";
import { until } from "../../fixtures/until.ts";
import { Candidate, type Program } from "./candidate.ts";
import { ElectionLog } from "./election-log.ts";

export const timings: ElectionTimings = {
  leaseDurationMs: 3000,
  renewDeadlineMs: 2000,
  retryPeriodMs: 200,
};

/** The longest time between two looks of a candidate in Go at a Lease of another. */
export const goPeriodMs = (1 + 1.2) * timings.retryPeriodMs;

export interface PlayOptions {
  readonly kubeconfig: string;
  readonly goProgram: string;
}

/** What a case has in hand. */
export class Play {
  readonly client: Client;
  readonly log: ElectionLog;
  readonly #options: PlayOptions;
  readonly #candidates: Candidate[] = [];

  private constructor(client: Client, options: PlayOptions) {
    this.client = client;
    this.log = new ElectionLog(client);
    this.#options = options;
  }

  static async open(options: PlayOptions): Promise<Play> {
    const access = await loadKubeconfig({ path: options.kubeconfig });
    const administrator = createClient({ access });
    const { metadata } = await administrator.create(Namespace, {
      metadata: { generateName: "election-" },
    });
    await administrator.close();
    const client = createClient({ access, namespace: metadata.name });
    for (const name of ["clock", "log"]) await client.create(ConfigMap, ConfigMap(name, {}));
    return new Play(client, options);
  }

  /** Starts a candidate; it stands at once or soon. */
  start(program: Program, identity: string = program, given: Partial<ElectionTimings> = {}) {
    const { namespace } = this.client;
    const own = { ...timings, ...given };
    const options = { ...this.#options, program, namespace: namespace!, identity, timings: own };
    const candidate = new Candidate(options);
    this.#candidates.push(candidate);
    return candidate;
  }

  /** Resolves once a candidate holds the Lease and has written. */
  async leads({ identity, lines }: Candidate): Promise<void> {
    const before = this.log.writes(identity);
    const timeoutMs = 30_000;
    await until(() => this.log.holder === identity, { timeoutMs }).catch((error: unknown) => {
      throw new Error(`${identity} does not lead: ${lines.slice(-5).join("; ")}`, { cause: error });
    });
    await until(() => this.log.writes(identity) > before);
  }

  /** Resolves once a candidate stands by and knows who leads. */
  async standsBy(candidate: Candidate): Promise<void> {
    await until(() => candidate.said("standing"), { timeoutMs: 30_000 });
    // A candidate in Go says it before it has read the Lease.
    await sleep(2 * goPeriodMs);
  }

  /** Rejects when someone wrote who did not hold the Lease. */
  async judge(mayBeFaulty: (fault: string) => boolean = () => false): Promise<void> {
    const faults = (await this.log.faults()).filter((fault) => !mayBeFaulty(fault));
    assert.deepEqual(faults.slice(0, 5), [], `${faults.length} writes by who did not lead`);
  }

  async close(): Promise<void> {
    for (const candidate of this.#candidates) {
      candidate.signal("SIGCONT");
      candidate.signal("SIGKILL");
    }
    await Promise.all(this.#candidates.map(({ gone }) => gone));
    await this.log.close();
    await this.client.delete(Namespace, this.client.namespace!);
    await this.client.close();
  }
}
