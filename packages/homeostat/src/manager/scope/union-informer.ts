// One informer over the informers of several namespaces, which come and go. Users see the objects
// of all of them as those of one kind.
import type { Kind } from "../../api/kind.ts";
import { type ObjectKey, parseObjectKey } from "../../api/object-meta.ts";
import type {
  CachedObject,
  Comparison,
  Freshness,
  HandlerCause,
  IndexFunction,
  IndexOptions,
  Informer,
  InformerHandler,
  InformerScope,
  InformerStats,
  Reader,
  SkippedObject,
} from "../../cache/index.ts";
import { mergeComparisons, mergeFreshness, mergeStats } from "./merge-reports.ts";

interface Removable {
  remove(): void;
}

/** A part, and what connects it. */
interface Part {
  readonly informer: Informer<any>;
  readonly handlers: Map<InformerHandler, Removable>;
  readonly listeners: Map<(freshness: Freshness) => void, Removable>;
}

/** Objects that leave with their namespace. */
const departure: HandlerCause = { through: "relist", ownWrite: false };

/** Informers of one kind, by namespace. */
export class UnionInformer implements Informer<any> {
  readonly kind: Kind;
  readonly #parts = new Map<string, Part>();
  readonly #handlers = new Set<InformerHandler>();
  readonly #listeners = new Set<(freshness: Freshness) => void>();
  readonly #indexes = new Map<string, readonly [IndexFunction, IndexOptions | undefined]>();
  readonly unchecked = this.#reader((part) => part.unchecked);
  readonly #checked = this.#reader((part) => part);

  constructor(kind: Kind) {
    this.kind = kind;
  }

  /** What all parts have in common. */
  get scope(): InformerScope {
    const [part] = this.#parts.values();
    return { ...part?.informer.scope, namespace: undefined };
  }

  /** Makes the objects of a namespace readable; `connect` then reports them. */
  attach(namespace: string, informer: Informer<any>): void {
    for (const [name, index] of this.#indexes) informer.addIndex(name, ...index);
    this.#parts.set(namespace, { informer, handlers: new Map(), listeners: new Map() });
  }

  /** Calls `added` for the objects of an attached namespace, and follows its changes. */
  connect(namespace: string): void {
    const part = this.#parts.get(namespace);
    if (!part) return;
    for (const handler of this.#handlers)
      part.handlers.set(handler, part.informer.addHandler(handler));
    for (const listener of this.#listeners)
      part.listeners.set(listener, part.informer.onFreshness(listener));
  }

  /**
   * Makes the objects of a namespace unreadable; the function returned then calls `deleted` for
   * each.
   */
  detach(namespace: string): () => void {
    const part = this.#parts.get(namespace);
    this.#parts.delete(namespace);
    if (!part) return () => {};
    for (const connection of [...part.handlers.values(), ...part.listeners.values()])
      connection.remove();
    return () => {
      for (const entry of part.informer.entries())
        for (const handler of part.handlers.keys()) handler.deleted?.(entry, departure);
    };
  }

  get(key: ObjectKey): any {
    return this.#checked.get(key);
  }

  list(options?: { readonly namespace?: string | undefined }): readonly any[] {
    return this.#checked.list(options);
  }

  byIndex(index: string, value: string): readonly any[] {
    return this.#checked.byIndex(index, value);
  }

  #reader(of: (part: Informer<any>) => Reader): Reader {
    return {
      get: (key) => this.#partsIn(key.namespace ?? "").map((part) => of(part).get(key))[0],
      list: (options = {}) =>
        this.#partsIn(options.namespace).flatMap((part) => of(part).list(options)),
      byIndex: (index, value) =>
        this.#informers().flatMap((part) => of(part).byIndex(index, value)),
    };
  }

  entry(key: string): CachedObject | undefined {
    return this.#partOf(parseObjectKey(key))?.entry(key);
  }

  entries(options: { readonly namespace?: string | undefined } = {}): readonly CachedObject[] {
    return this.#partsIn(options.namespace).flatMap((part) => part.entries(options));
  }

  entriesByIndex(index: string, value: string): readonly CachedObject[] {
    return this.#informers().flatMap((part) => part.entriesByIndex(index, value));
  }

  addIndex(name: string, index: IndexFunction, options?: IndexOptions): void {
    for (const part of this.#informers()) part.addIndex(name, index, options);
    this.#indexes.set(name, [index, options]);
  }

  addHandler(handler: InformerHandler): { remove(): void } {
    this.#handlers.add(handler);
    for (const { informer, handlers } of this.#parts.values())
      handlers.set(handler, informer.addHandler(handler));
    return {
      remove: () => {
        this.#handlers.delete(handler);
        for (const { handlers } of this.#parts.values()) {
          handlers.get(handler)?.remove();
          handlers.delete(handler);
        }
      },
    };
  }

  hasSynced(): boolean {
    return this.#informers().every((part) => part.hasSynced());
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(this.#informers().map((part) => part.synced(signal)));
  }

  freshness(): Freshness {
    return mergeFreshness(
      Array.from(this.#parts, ([namespace, { informer }]) => ({
        namespace,
        freshness: informer.freshness(),
      })),
    );
  }

  onFreshness(listener: (freshness: Freshness) => void): { remove(): void } {
    const merged = (): void => listener(this.freshness());
    this.#listeners.add(merged);
    for (const { informer, listeners } of this.#parts.values())
      listeners.set(merged, informer.onFreshness(merged));
    return {
      remove: () => {
        this.#listeners.delete(merged);
        for (const { listeners } of this.#parts.values()) {
          listeners.get(merged)?.remove();
          listeners.delete(merged);
        }
      },
    };
  }

  async compare(): Promise<Comparison> {
    return mergeComparisons(await Promise.all(this.#informers().map((part) => part.compare())));
  }

  resync(): void {
    for (const part of this.#informers()) part.resync();
  }

  stats(): InformerStats {
    return mergeStats(this.#informers().map((part) => part.stats()));
  }

  skipped(): readonly SkippedObject[] {
    return this.#informers().flatMap((part) => part.skipped());
  }

  #informers(): readonly Informer<any>[] {
    return Array.from(this.#parts.values(), ({ informer }) => informer);
  }

  #partOf({ namespace = "" }: ObjectKey): Informer<any> | undefined {
    return this.#parts.get(namespace)?.informer;
  }

  #partsIn(namespace: string | undefined): readonly Informer<any>[] {
    if (namespace === undefined) return this.#informers();
    const part = this.#partOf({ name: "", namespace });
    return part ? [part] : [];
  }
}
