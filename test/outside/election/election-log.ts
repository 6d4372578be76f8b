// The judge of an election: the writes of its candidates and of its Lease, in the order of their
// revisions, which a server counts across all objects. A write belongs to whom the Lease named
// when it was made.
import type { Client } from "homeostat/client";
import { Lease } from "homeostat/k8s/coordination/v1";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { until } from "../../fixtures/until.ts";

interface Entry {
  readonly revision: bigint;
  /** When it was heard of, in ms. */
  readonly at: number;
  readonly kind: "Lease" | "ConfigMap";
  /** Who held the Lease from here on, or who wrote; undefined for no one. */
  readonly who: string | undefined;
}

/** Follows the Lease `op` and the ConfigMap `log` of the client's namespace. */
export class ElectionLog {
  readonly #client: Client;
  readonly #entries: Entry[] = [];
  readonly #over = new AbortController();
  readonly #following: Promise<unknown>;

  constructor(client: Client) {
    this.#client = client;
    this.#following = Promise.all([this.#followLease(), this.#followWrites()]);
    this.#following.catch(() => {});
  }

  get holder(): string | undefined {
    return this.#entries.findLast(({ kind }) => kind === "Lease")?.who;
  }

  /** How many writes of a candidate have been heard of. */
  writes(identity: string): number {
    return this.#entries.filter(({ kind, who }) => kind === "ConfigMap" && who === identity).length;
  }

  /** When a candidate last took or renewed the Lease. */
  renewedAt(identity: string): number {
    return this.#lease().findLast(({ who }) => who === identity)!.at;
  }

  /** When a candidate took the Lease, last. */
  takenAt(identity: string): number {
    const leases = this.#lease();
    const at = leases.findLastIndex(
      ({ who }, index) => who === identity && leases[index - 1]?.who !== identity,
    );
    return leases[at]!.at;
  }

  /** When the Lease was given up, last. */
  releasedAt(): number {
    return this.#lease().findLast(({ who }) => who === undefined)!.at;
  }

  /** Who held the Lease, one after another. */
  holders(): readonly string[] {
    return this.#lease()
      .map(({ who }) => who ?? "-")
      .filter((who, index, all) => who !== all[index - 1]);
  }

  /** Writes of others than the holder, once everything written until now has been heard of. */
  async faults(): Promise<readonly string[]> {
    const { metadata } = await this.#client.get(ConfigMap, "log");
    const last = BigInt(metadata.resourceVersion);
    await until(() => this.#entries.some(({ revision }) => revision >= last));
    let holder: string | undefined;
    const entries = this.#entries.toSorted((a, b) => Number(a.revision - b.revision));
    return entries.flatMap(({ kind, who, revision }) => {
      if (kind === "Lease") holder = who;
      else if (who !== holder) return [`${who} wrote ${revision} while ${holder ?? "no one"} held`];
      return [];
    });
  }

  async close(): Promise<void> {
    this.#over.abort();
    await this.#following.catch(() => {});
  }

  #lease(): readonly Entry[] {
    return this.#entries.filter(({ kind }) => kind === "Lease");
  }

  async #followLease(): Promise<void> {
    const options = {
      namespace: this.#client.namespace!,
      fieldSelector: "metadata.name=op",
      signal: this.#over.signal,
    };
    for await (const { type, object } of this.#client.watch(Lease, options))
      if (type !== "BOOKMARK") {
        const { spec, metadata } = object;
        const who = type === "DELETED" ? undefined : spec?.holderIdentity || undefined;
        this.#note("Lease", metadata.resourceVersion, who);
      }
  }

  async #followWrites(): Promise<void> {
    const options = {
      namespace: this.#client.namespace!,
      fieldSelector: "metadata.name=log",
      signal: this.#over.signal,
    };
    for await (const { type, object } of this.#client.watch(ConfigMap, options))
      if (type !== "BOOKMARK" && object.data?.["by"])
        this.#note("ConfigMap", object.metadata.resourceVersion, object.data["by"]);
  }

  #note(kind: Entry["kind"], revision: string, who: string | undefined): void {
    this.#entries.push({ revision: BigInt(revision), at: performance.now(), kind, who });
  }
}
