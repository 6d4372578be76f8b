// The unions that are in use: those of declared kinds for ever, others while they are leased.
import type { Kind } from "../../api/kind.ts";
import type { Informer, InformerLease } from "../../cache/index.ts";
import { informerId } from "./informer-id.ts";
import type { NamespacedInformers } from "./namespaced-informers.ts";

/** Counts the users of namespaced informers. */
export class UnionLeases {
  readonly #informers: NamespacedInformers;
  readonly #declared = new Set<string>();
  readonly #leases = new Map<string, number>();

  constructor(informers: NamespacedInformers) {
    this.#informers = informers;
  }

  /** For a kind that is used as long as the manager runs. */
  informer(kind: Kind): Informer {
    this.#declared.add(informerId(kind));
    return this.#informers.informer(kind);
  }

  lease(kind: Kind): InformerLease {
    const id = informerId(kind);
    this.#leases.set(id, (this.#leases.get(id) ?? 0) + 1);
    return {
      informer: this.#informers.informer(kind),
      release: () => {
        const left = this.#leases.get(id)! - 1;
        this.#leases.set(id, left);
        if (left > 0) return;
        this.#leases.delete(id);
        if (!this.#declared.has(id)) this.#informers.drop(kind);
      },
    };
  }
}
