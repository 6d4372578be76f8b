// Watches that reconciles declare as they run: of kinds that are known only then. The watches of an
// object are those of its last complete run. A kind that no object watches is no longer cached.
import { viewId } from "../../api/fields-kind.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { Freshness, InformerLease } from "../../cache/informer.ts";
import { whenHeard } from "../../cache/when-heard.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { kindId } from "../echo/run-record.ts";
import type { WarnOnce } from "../warn-once.ts";
import { connectTarget, type SelectedChange } from "./connect-selection.ts";
import { selectObjects } from "./select-objects.ts";
import type { CompiledSelection } from "./selection.ts";
import { SelectionMap } from "./selection-map.ts";

/** What dynamic watches need. */
export interface DynamicWatchesOptions {
  readonly controller: string;
  readonly warnings: WarnOnce;
  lease(kind: Kind): InformerLease;
  enqueue(kind: Kind, change: SelectedChange): void;
}

/** One call in a run. */
export interface DynamicWatch {
  /** The reconciled object. */
  readonly key: string;
  readonly kind: Kind;
  readonly selection: CompiledSelection;
  readonly signal: AbortSignal;
}

type Selections = ReadonlyMap<string, readonly CompiledSelection[]>;

interface WatchedKind {
  readonly lease: InformerLease;
  readonly connection: { remove(): void };
  readonly map: SelectionMap;
  /** The objects whose runs are about to read: what arrives meanwhile wakes them no second time. */
  readonly readers: Set<{ readonly key: string }>;
}

/** The dynamic watches of one controller. */
export class DynamicWatches {
  readonly #options: DynamicWatchesOptions;
  readonly #kinds = new Map<string, WatchedKind>();
  /** By object: the watches of its last complete run, by kind. */
  readonly #kept = new Map<string, Selections>();
  /** By object: those of the run that is open. */
  readonly #open = new Map<string, Map<string, readonly CompiledSelection[]>>();

  constructor(options: DynamicWatchesOptions) {
    this.#options = options;
  }

  /** True when an object watches a kind. */
  has(key: string, kind: Kind): boolean {
    const id = idOf(kind);
    return this.#open.get(key)?.has(id) === true || this.#kept.get(key)?.has(id) === true;
  }

  /**
   * Watches, and resolves to the objects that match now: none while the server does not serve the
   * kind. @throws ERR_WATCH_REFUSED
   */
  async read({ key, kind, selection, signal }: DynamicWatch): Promise<readonly KubeObject[]> {
    const id = idOf(kind);
    const open = this.#open.get(key) ?? new Map<string, readonly CompiledSelection[]>();
    this.#open.set(key, open.set(id, [...(open.get(id) ?? []), selection]));
    const watched = this.#kinds.get(id) ?? this.#watch(id, kind);
    watched.map.set(key, this.#selectionsOf(key, id));
    const reader = { key };
    watched.readers.add(reader);
    const { informer } = watched.lease;
    try {
      await whenHeard([informer], signal, isAbsent);
      signal.throwIfAborted();
      refuseForbidden(kind, informer.freshness(), informer.hasSynced());
      return selectObjects(informer, [selection]);
    } finally {
      watched.readers.delete(reader);
    }
  }

  /** A run has ended; one that failed may not have come to all of its watches. */
  ended(key: string, isComplete: boolean): void {
    const open = this.#open.get(key);
    if (open === undefined && !(isComplete && this.#kept.has(key))) return;
    const kept = this.#kept.get(key);
    this.#open.delete(key);
    if (isComplete && open) this.#kept.set(key, open);
    else if (isComplete) this.#kept.delete(key);
    else if (open) this.#kept.set(key, merged(kept, open));
    for (const id of new Set([...(kept?.keys() ?? []), ...(open?.keys() ?? [])]))
      this.#settle(key, id);
  }

  /** Ends the watches of an object that is gone. */
  forget(key: string): void {
    const ids = [...(this.#kept.get(key)?.keys() ?? []), ...(this.#open.get(key)?.keys() ?? [])];
    this.#kept.delete(key);
    this.#open.delete(key);
    for (const id of ids) this.#settle(key, id);
  }

  stop(): void {
    for (const id of this.#kinds.keys()) this.#close(id);
  }

  #selectionsOf(key: string, id: string): readonly CompiledSelection[] {
    return [...(this.#kept.get(key)?.get(id) ?? []), ...(this.#open.get(key)?.get(id) ?? [])];
  }

  #settle(key: string, id: string): void {
    const watched = this.#kinds.get(id);
    if (!watched) return;
    watched.map.set(key, this.#selectionsOf(key, id));
    if (watched.map.size === 0) this.#close(id);
  }

  #watch(id: string, kind: Kind): WatchedKind {
    const { lease: acquire, enqueue, warnings, controller } = this.#options;
    const lease = acquire(kind);
    const map = new SelectionMap();
    const readers = new Set<{ readonly key: string }>();
    const connection = connectTarget(
      map,
      { target: kind },
      {
        informer: lease.informer,
        when: { when: undefined, warnings, of: `controller "${controller}"` },
        enqueue(change) {
          const isRead = [...readers].some(({ key }) => key === change.source);
          if (!isRead) enqueue(kind, change);
        },
        ignore() {},
      },
    );
    const watched = { lease, connection, map, readers };
    this.#kinds.set(id, watched);
    return watched;
  }

  #close(id: string): void {
    const { connection, lease } = this.#kinds.get(id)!;
    connection.remove();
    lease.release();
    this.#kinds.delete(id);
  }
}

const idOf = (kind: Kind): string => `${kindId(kind)} ${viewId(kind)}`;

const isAbsent = ({ isServed, isAllowed }: Freshness): boolean => !isServed || !isAllowed;

function merged(kept: Selections | undefined, open: Selections): Selections {
  const all = new Map(kept);
  for (const [id, selections] of open) {
    const known = new Map([...(all.get(id) ?? []), ...selections].map((one) => [one.id, one]));
    all.set(id, [...known.values()]);
  }
  return all;
}

/** What may not be listed is not taken for absent. */
function refuseForbidden(kind: Kind, freshness: Freshness, hasSynced: boolean): void {
  const { isAllowed, lastError = "the server refuses it" } = freshness;
  if (hasSynced || isAllowed) return;
  throw new HomeostatError(
    "ERR_WATCH_REFUSED",
    `watching ${kind.kind}: this user may not list and watch it: ${lastError}`,
    { hint: `allow get, list and watch of ${kind.resource}` },
  );
}
