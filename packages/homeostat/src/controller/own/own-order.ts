// The order between the sets of one reconcile: objects of a set are applied once all objects of the
// sets before it are ready, and deleted before those. Sets without an order take no part.
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { refusePromise } from "../../util/refuse-promise.ts";
import { ownError } from "./own-error.ts";
import type { OwnedSet } from "./owned-set.ts";
import { prune, undesired } from "./prune.ts";

/** A set with an order, and what its call has found. */
interface OrderedSet {
  readonly set: OwnedSet;
  readonly order: number;
  readonly desired: ReadonlySet<string>;
  /** Not applied, because a set before it is not ready. */
  readonly isHeld: boolean;
  readonly unready: readonly string[];
}

/** The ordered sets of one reconcile. */
export class OwnOrder {
  readonly #isFinal: boolean;
  readonly #sets: OrderedSet[] = [];
  readonly #waiting = new Set<string>();
  #latest: number | undefined;

  constructor({ isFinal }: { readonly isFinal: boolean }) {
    this.#isFinal = isFinal;
  }

  /** What the sets are waiting for; undefined for nothing. */
  waiting(): string | undefined {
    return this.#waiting.size === 0 ? undefined : [...this.#waiting].join(", ");
  }

  /**
   * True when the objects of the set may be applied.
   * @throws ERR_OWN_ORDER
   */
  admits(set: OwnedSet, order: number): boolean {
    this.#refuseDisorder(set, order);
    if (this.#isFinal) return true;
    const unready = this.#sets.filter((one) => one.order < order).flatMap((one) => one.unready);
    for (const one of unready) this.#waiting.add(one);
    return unready.length === 0;
  }

  add(set: OrderedSet): void {
    this.#sets.push(set);
  }

  /** True when a set that is held desires this object, so that it will move there. */
  isHeldBack({ kind }: OwnedSet, { metadata }: KubeObject): boolean {
    const key = formatObjectKey(metadata);
    return this.#sets.some((one) => one.isHeld && one.set.kind === kind && one.desired.has(key));
  }

  /**
   * Deletes what the sets no longer desire, last set first. A set with a lower order keeps its
   * objects until those with a higher one are as desired, ready, and without leftovers.
   */
  async prune(): Promise<void> {
    const orders = [...new Set(this.#sets.map(({ order }) => order))].toSorted((a, b) => b - a);
    const blocking: string[] = [];
    for (const order of orders) {
      const level = this.#sets.filter((one) => one.order === order);
      const left: string[] = [];
      for (const one of level) left.push(...(await this.#pruneSet(one, blocking)));
      blocking.push(...left);
    }
  }

  /** Resolves to what the sets before this one have to wait for. */
  async #pruneSet(one: OrderedSet, blocking: readonly string[]): Promise<readonly string[]> {
    const { set, desired, isHeld, unready } = one;
    if (isHeld) return [...this.#waiting];
    const leftovers = (): readonly KubeObject[] => undesired(set, desired);
    const before = leftovers();
    if (before.length > 0 && blocking.length > 0) {
      for (const what of blocking) this.#waiting.add(what);
      return unready;
    }
    await prune(set, before);
    return [...unready, ...leftovers().map((object) => `${describe(set, object)} to be gone`)];
  }

  #refuseDisorder(set: OwnedSet, order: number): void {
    const latest = this.#latest;
    this.#latest = order;
    if (!Number.isFinite(order))
      throw ownError(set, "ERR_OWN_ORDER", {
        problem: `order is ${order}, expected a number`,
        hint: "pass a finite number",
      });
    if (latest === undefined || latest === order) return;
    if (latest < order !== this.#isFinal) return;
    throw ownError(set, "ERR_OWN_ORDER", {
      problem: this.#isFinal
        ? `order ${order} comes after order ${latest}; in finalize objects are deleted as the calls say`
        : `order ${order} comes after order ${latest}; the objects of that call are applied already`,
      hint: this.#isFinal
        ? "call own() with the highest order first"
        : "call own() with the lowest order first",
    });
  }
}

/**
 * The objects that are not ready, e.g. `Job migrate to be ready`.
 * @throws ERR_ASYNC_FUNCTION
 */
export function unreadyOf(
  set: OwnedSet,
  objects: readonly KubeObject[],
  isReady: (object: KubeObject) => boolean,
): readonly string[] {
  const what = `\`ready\` of ${set.kind.kind}`;
  const asBoolean = (one: KubeObject) => refusePromise(isReady(one), what, "a boolean");
  return objects.flatMap((one) => (asBoolean(one) ? [] : [`${describe(set, one)} to be ready`]));
}

const describe = ({ kind }: OwnedSet, { metadata }: KubeObject): string =>
  `${kind.kind} ${metadata.name}`;
