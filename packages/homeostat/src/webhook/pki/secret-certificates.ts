// Certificates of one's own: all replicas agree on those of one Secret, which each writes only in
// the revision that it has read.
import type { KeyPair } from "../../certificates/authority.ts";
import type { InformerLease } from "../../cache/index.ts";
import type { Client } from "../../client/client.ts";
import { Secret } from "../../k8s/core/v1/index.ts";
import type { Log } from "../../util/guard-log.ts";
import { serialOf, splitBundle } from "./certificate-facts.ts";
import type { CertificateSource, Published } from "./certificate-source.ts";
import { createRecord, type PkiMaking, takeStep } from "./change-record.ts";
import { decidePki } from "./pki.machine.ts";
import { bundleOf, factsOf, formatRecord, parseRecord, type PkiRecord } from "./pki-record.ts";

/** On the Secret, with any value: a person asks for a new authority, such as after a leak. */
const rotateAnnotation = "homeostat.dev/rotate";

export interface SecretSourceOptions {
  readonly client: Client;
  readonly log: Log;
  readonly making: PkiMaking;
  readonly lease: InformerLease<typeof Secret>;
  readonly name: string;
  readonly namespace: string;
}

/** Certificates in a Secret, which this process and its replicas keep up to date. */
export class SecretCertificates implements CertificateSource {
  readonly #options: SecretSourceOptions;
  /** What the Secret held last, also after it has been deleted. */
  #record: PkiRecord | undefined;
  #served: PkiRecord | undefined;
  /** Since when this process has seen authorities in all caBundles, by certificate. */
  readonly #publishedSince = new Map<string, number>();

  constructor(options: SecretSourceOptions) {
    this.#options = options;
  }

  async pass(published: Published): Promise<number> {
    const { lease, name, namespace, making } = this.#options;
    const { clock } = making.runtime;
    const secret = lease.informer.get({ name, namespace });
    const stored = parseRecord(secret?.data);
    if (!stored) {
      const record = this.#record ?? createRecord(making, published.trusted());
      await this.#store(record, this.#record ? "restored" : "made anew");
      this.#adopt(record);
      return 0;
    }
    this.#adopt(stored);
    const isPublished = published.isPublished(bundleOf(stored));
    const settledInMs = this.#settle(published);
    const facts = factsOf(stored, making.names);
    const isAsked = secret?.metadata.annotations?.[rotateAnnotation] !== undefined;
    const { limits } = making;
    const decision = decidePki({ facts, now: clock.now(), limits, isPublished, isAsked });
    if (decision.step === undefined) return Math.min(decision.dueInMs, settledInMs);
    // What this process serves with is trusted until it serves with another.
    if (decision.step === "dropPrevious" && this.#served !== this.#record)
      return Math.min(making.limits.settleMs, settledInMs);
    const changed = takeStep(stored, decision.step, making);
    const why = isAsked ? `${said[decision.step]}, as ${rotateAnnotation} asks` : undefined;
    await this.#store(changed, why ?? said[decision.step], isAsked ? withoutRequest : undefined);
    this.#adopt(changed);
    this.#settle(published);
    return 0;
  }

  #adopt(record: PkiRecord): void {
    this.#record = record;
    this.#served ??= record;
    // A certificate of the same authority is trusted as the one before it.
    if (this.#served.authority.cert === record.authority.cert) this.#served = record;
  }

  /**
   * Serves with a new authority once all caBundles have held it for a while; resolves to the time
   * until then.
   */
  #settle(published: Published): number {
    const { clock } = this.#options.making.runtime;
    const record = this.#record!;
    const now = clock.monotonic();
    for (const one of splitBundle(bundleOf(record)))
      if (!published.isPublished(one)) this.#publishedSince.delete(one);
      else if (!this.#publishedSince.has(one)) this.#publishedSince.set(one, now);
    if (this.#served === record) return Infinity;
    const since = this.#publishedSince.get(record.authority.cert);
    if (since === undefined) return Infinity;
    const leftMs = since + this.#options.making.limits.settleMs - now;
    if (leftMs > 0) return leftMs;
    this.#served = record;
    return Infinity;
  }

  /** Fails with a conflict when another replica was first; its record is heard then. */
  async #store(
    record: PkiRecord,
    why: string,
    change: (secret: Secret) => Secret = (secret) => secret,
  ): Promise<void> {
    const { client, lease, name, namespace, log } = this.#options;
    const data = formatRecord(record);
    const secret = lease.informer.get({ name, namespace });
    if (secret) await client.update(Secret, { ...change(secret), data });
    else {
      const type = "kubernetes.io/tls";
      await client.create(Secret, { metadata: { name, namespace }, type, data });
    }
    const serial = serialOf(record.leaf.cert);
    log.info(`certificates of webhooks: ${why}`, { secret: `${namespace}/${name}`, serial });
  }

  pair(): KeyPair | undefined {
    return this.#served?.leaf;
  }

  bundle(): string | undefined {
    return this.#record && bundleOf(this.#record);
  }

  stop(): void {
    this.#options.lease.release();
  }
}

/** The write that takes the request back is the one that answers it. */
function withoutRequest(secret: Secret): Secret {
  const { [rotateAnnotation]: _, ...annotations } = secret.metadata.annotations ?? {};
  return { ...secret, metadata: { ...secret.metadata, annotations } };
}

const said = {
  introduceNext: "the next authority is published before it signs",
  promoteNext: "the next authority signs",
  issueLeaf: "a new serving certificate is issued",
  dropPrevious: "the previous authority is trusted no more",
} as const;
