// The pools of a transport: opened at the first request, and anew when certificates change. What
// runs goes on with the certificate that it began with.
import type { TlsAccess } from "../kubeconfig/cluster-access.ts";
import type { Pools } from "./open-pools.ts";

/** Certificates that may change: of files, or of a plug-in. */
export interface CertificateSource {
  /** Grows with each change. */
  readonly epoch: number;
  current(): Promise<Pick<TlsAccess, "ca" | "cert" | "key"> | undefined>;
}

/** Hands out the pools of the current certificates. */
export class ChangingPools {
  readonly #open: (certificates: Pick<TlsAccess, "ca" | "cert" | "key">) => Promise<Pools>;
  readonly #source: CertificateSource | undefined;
  #epoch = -1;
  #opening: Promise<Pools> | undefined;
  /** Set while #opening is settled. */
  #current: Pools | undefined;
  readonly #retired = new Set<Pools>();

  constructor(
    open: (certificates: Pick<TlsAccess, "ca" | "cert" | "key">) => Promise<Pools>,
    source: CertificateSource | undefined,
  ) {
    this.#open = open;
    this.#source = source;
  }

  /** Calls `use` with the pools, at once when they are open; or `fail`. */
  use(use: (pools: Pools) => void, fail: (error: Error) => void): void {
    if (this.#current && (this.#source?.epoch ?? 0) !== this.#epoch) this.#retire(this.#current);
    if (this.#current) return use(this.#current);
    this.#opening ??= this.#start();
    this.#opening.then(use, fail);
  }

  async destroy(reason: Error): Promise<void> {
    await this.#opening?.catch(() => {});
    const all = [...this.#retired, ...(this.#current ? [this.#current] : [])];
    await Promise.all(
      all.flatMap(({ calls, streams }) => [calls.destroy(reason), streams.destroy(reason)]),
    );
  }

  /** A source that fails is asked again by the next request. */
  async #start(): Promise<Pools> {
    try {
      const certificates = (await this.#source?.current()) ?? {};
      this.#epoch = this.#source?.epoch ?? 0;
      return (this.#current = await this.#open(certificates));
    } catch (error) {
      this.#opening = undefined;
      throw error;
    }
  }

  #retire(pools: Pools): void {
    this.#current = undefined;
    this.#opening = undefined;
    this.#retired.add(pools);
    Promise.all([pools.calls.close(), pools.streams.close()]).then(
      () => this.#retired.delete(pools),
      () => this.#retired.delete(pools),
    );
  }
}
