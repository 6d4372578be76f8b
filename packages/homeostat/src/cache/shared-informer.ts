// The informer that all users of a kind and scope share: a reflector feeds an indexer, and handlers
// follow its changes.
// Upstream: k8s.io/client-go/tools/cache/shared_informer.go.
import type { Kind } from "../api/kind.ts";
import type { ObjectKey } from "../api/object-meta.ts";
import type { Client, CompletedWrite } from "../client/client.ts";
import { encodeBody } from "../client/request/encode-request.ts";
import { writtenRevision } from "../client/completed-write.ts";
import { toError } from "../client/exchange.ts";
import type { Timer } from "../runtime/clock.ts";
import { unitInterval } from "../runtime/entropy.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { CachedEntry, EntryShape } from "./cached-entry.ts";
import { compileSelection } from "./compile-selection.ts";
import { createReader } from "./create-reader.ts";
import { compareWithServer, describeComparison } from "./compare-with-server.ts";
import type { Comparison } from "./comparison.ts";
import type {
  CachedObject,
  Freshness,
  IndexFunction,
  IndexOptions,
  Informer,
  InformerHandler,
  InformerScope,
  InformerStats,
  Reader,
  SkippedObject,
} from "./informer.ts";
import { Indexer } from "./indexer.ts";
import { InformerHandlers } from "./informer-handlers.ts";
import { type FindEntry, SkippedObjects } from "./skipped-objects.ts";
import { watchComplaint } from "./reflector-fault.ts";
import { Reflector } from "./reflector.ts";
import type { ObjectSource, ReflectorSink } from "./reflector-sink.ts";
import type { ReflectorLimits } from "./reflector-state.ts";

export interface SharedInformerOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  readonly kind: Kind;
  readonly scope: InformerScope;
  readonly limits: ReflectorLimits;
  readonly shape: EntryShape;
  /** Interval of comparisons with the server; 0 disables them. */
  readonly compareEveryMs: number;
  /** Receives errors of handlers and index functions, and skipped objects; it continues. */
  readonly onError: (error: unknown, key?: string) => void;
}

/** Creates an informer that has not started. */
export class SharedInformer implements Informer<any>, ReflectorSink {
  readonly kind: Kind;
  #scope: InformerScope;
  readonly #options: SharedInformerOptions;
  readonly #indexer = new Indexer();
  readonly #reflector: Reflector;
  readonly #handlers: InformerHandlers;
  #selects: (write: CompletedWrite) => boolean | undefined;
  readonly #skipped: SkippedObjects;
  readonly unchecked: Reader;
  readonly #checked: Reader;
  #gathering = new Map<string, CachedEntry>();
  #synced = Promise.withResolvers<void>();
  #hasSynced = false;
  /** Until the objects of a wider scope are listed. */
  #widened: PromiseWithResolvers<void> | undefined;
  #comparing: Timer | undefined;

  constructor(options: SharedInformerOptions) {
    this.kind = options.kind;
    this.#scope = options.scope;
    this.#options = options;
    this.#handlers = new InformerHandlers(options.onError);
    this.#selects = compileSelection(options.scope);
    this.#skipped = new SkippedObjects(options.shape, options.onError);
    this.unchecked = createReader(this, (entry) => this.#skipped.readAny(entry as CachedEntry));
    this.#checked = createReader(this, (entry) => this.#skipped.read(entry as CachedEntry));
    this.#reflector = new Reflector({ ...options, scope: () => this.#scope, sink: this });
  }

  start(): void {
    this.#reflector.start();
    this.#compareLater();
  }

  stop(): void {
    this.#reflector.stop();
    this.#comparing?.cancel();
    this.#indexer.retire();
  }

  get scope(): InformerScope {
    return this.#scope;
  }

  /** Caches the objects of a wider scope. Resolves once they are listed. */
  widen(scope: InformerScope): Promise<void> {
    this.#scope = scope;
    this.#selects = compileSelection(scope);
    this.#widened ??= Promise.withResolvers();
    this.#reflector.widened();
    return this.#widened.promise;
  }

  async compare(): Promise<Comparison> {
    const { client, kind } = this.#options;
    const comparison = await compareWithServer(client, {
      kind,
      scope: this.scope,
      entries: this.#indexer.observed().values(),
      resourceVersion: this.freshness().resourceVersion,
    });
    const difference = describeComparison(comparison);
    if (difference) this.#reflector.distrust(difference);
    return comparison;
  }

  /** Adds up to a tenth of jitter, so that informers do not compare at the same time. */
  #compareLater(): void {
    const { compareEveryMs, runtime, onError } = this.#options;
    if (compareEveryMs <= 0) return;
    this.#comparing = runtime.clock.timer(
      compareEveryMs * (1 + unitInterval(runtime.entropy) / 10),
      () => {
        this.compare().catch(onError);
        this.#compareLater();
      },
    );
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

  entry(key: string): CachedObject | undefined {
    return this.#indexer.get(key);
  }

  entries({
    namespace,
  }: { readonly namespace?: string | undefined } = {}): readonly CachedObject[] {
    return namespace === undefined
      ? this.#indexer.list()
      : this.#indexer.byIndex("namespace", namespace);
  }

  entriesByIndex(index: string, value: string): readonly CachedObject[] {
    return this.#indexer.byIndex(index, value);
  }

  addIndex(name: string, index: IndexFunction, options?: IndexOptions): void {
    this.#indexer.addIndex(name, index, this.#options.onError, options);
  }

  addHandler(handler: InformerHandler): { remove(): void } {
    return this.#handlers.add(handler, this.#hasSynced ? this.#indexer.observed().values() : []);
  }

  hasSynced(): boolean {
    return this.#hasSynced;
  }

  synced(signal?: AbortSignal): Promise<void> {
    if (!signal) return this.#synced.promise;
    if (signal.aborted) return Promise.reject(toError(signal.reason));
    return new Promise((resolve, reject) => {
      const abort = (): void => reject(toError(signal.reason));
      signal.addEventListener("abort", abort, { once: true });
      void this.#synced.promise.then(() => (signal.removeEventListener("abort", abort), resolve()));
    });
  }

  freshness(): Freshness {
    return this.#reflector.freshness();
  }

  onFreshness(listener: (freshness: Freshness) => void): { remove(): void } {
    return this.#handlers.listen(listener);
  }

  resync(): void {
    for (const entry of this.#indexer.observed().values())
      this.#handlers.notify({ old: entry, entry }, { through: "resync", ownWrite: false });
  }

  stats(): InformerStats {
    return { ...this.#indexer.stats(), skipped: this.#skipped.size };
  }

  skipped(): readonly SkippedObject[] {
    return this.#skipped.all();
  }

  /** Records a completed write of this process: later reads must not be older. */
  written(write: CompletedWrite): void {
    if (write.kind.kind !== this.kind.kind || write.kind.apiVersion !== this.kind.apiVersion)
      return;
    if (this.scope.namespace && write.key.namespace !== this.scope.namespace) return;
    if (writtenRevision(write) === undefined) {
      if (write.deletedUid) this.#indexer.own.deleted(write.deletedUid);
      return;
    }
    const { resourceVersion } = write;
    if (resourceVersion !== undefined && !this.#indexer.own.awaits(resourceVersion)) return;
    const { entry } = this.#skipped.take(write.bytes ?? encodeBody(write.object!));
    if (!entry) return;
    const selected = this.#selects(write);
    if (selected === undefined && !this.#indexer.get(entry.key)) return;
    this.#indexer.own.written(entry, selected ?? true);
  }

  gather(): void {
    this.#indexer.own.listing();
    this.#skipped.listing();
    this.#gathering = new Map();
  }

  gathered(object: ObjectSource): boolean {
    const { size } = this.#gathering;
    const { entry, skipped } = this.#skipped.take(object);
    // The last good revision stays: to handlers, its absence would be a deletion.
    const kept = entry ?? this.#indexer.observed().get(skipped.key);
    if (kept) this.#gathering.set(kept.key, kept);
    return this.#gathering.size > size;
  }

  ungathered(object: ObjectSource): void {
    const { entry, skipped } = this.#skipped.takeDeleted(object);
    const { key } = entry ?? skipped;
    this.#skipped.forget(key);
    this.#gathering.delete(key);
  }

  replace(resourceVersion: string, { isRestored }: { readonly isRestored: boolean }): void {
    this.#replaceAll({ isRestored });
    this.#indexer.own.listed(resourceVersion);
    if (this.#hasSynced) return;
    this.#hasSynced = true;
    this.#synced.resolve();
  }

  forget(): void {
    this.gather();
    this.#replaceAll({ isRestored: false });
    this.#indexer.own.clear();
  }

  #replaceAll(restored: { readonly isRestored: boolean }): void {
    const changes = this.#indexer.replace(this.#gathering, restored);
    this.#gathering = new Map();
    this.#skipped.listed();
    const through = this.#hasSynced ? "relist" : "initial";
    for (const change of changes)
      this.#handlers.notify(change, {
        through,
        ownWrite: change.entry
          ? this.#indexer.own.isOwn(change.entry)
          : this.#indexer.own.observedDeletion(change.old!.uid),
      });
    this.#widened?.resolve();
    this.#widened = undefined;
  }

  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: ObjectSource): string | undefined {
    const isGone = type === "DELETED";
    const { entry, skipped } = isGone
      ? this.#skipped.takeDeleted(object)
      : this.#skipped.take(object, this.#options.shape.metadataOnly ? undefined : this.#written);
    const { key, resourceVersion } = entry ?? skipped;
    if (isGone) this.#remove(key, entry);
    else if (entry) this.#set(entry);
    if (!resourceVersion) return undefined;
    this.#indexer.own.observed(resourceVersion);
    return resourceVersion;
  }

  /** The entry of an own write that the watch delivers now: it need not be read again. */
  readonly #written: FindEntry = (key, resourceVersion) =>
    this.#indexer.own.find(key, resourceVersion);

  #set(entry: CachedEntry): void {
    const ownWrite = this.#indexer.own.arrives(entry);
    this.#handlers.notify(this.#indexer.set(entry), { through: "watch", ownWrite });
  }

  /** `last` is the state in the event, undefined when it could not be read. */
  #remove(key: string, last: CachedEntry | undefined): void {
    this.#skipped.forget(key);
    const { old } = this.#indexer.delete(key);
    const uid = last?.uid ?? old?.uid;
    const ownWrite = uid !== undefined && this.#indexer.own.observedDeletion(uid);
    this.#handlers.notify(
      { old: old && (last ?? old), entry: undefined },
      { through: "watch", ownWrite },
    );
  }

  complained(message: string): void {
    this.#options.onError(watchComplaint(this.kind, message));
  }

  progress(resourceVersion: string): void {
    this.#indexer.own.observed(resourceVersion);
  }

  freshnessChanged(freshness: Freshness): void {
    this.#handlers.freshnessChanged(freshness);
  }
}
