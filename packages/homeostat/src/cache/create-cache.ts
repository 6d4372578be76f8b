// All informers of a process over one client: shared by kind and scope, reference counted, and
// notified of every own write.
// Upstream: sigs.k8s.io/controller-runtime/pkg/cache and client-go's SharedInformerFactory.
import { isFieldsKind, takeFields, viewId } from "../api/fields-kind.ts";
import type { Kind, ObjectOf } from "../api/kind.ts";
import { isMetadataKind } from "../api/metadata-kind.ts";
import { compileStructure, type MatchStructure } from "../api/resource/compile-structure.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";
import { definitionOfKind } from "../api/resource/definition-of-kind.ts";
import type { Client } from "../client/client.ts";
import { describeError } from "../util/describe-error.ts";
import { promisesStatus } from "../client/readable.ts";
import type { Timer } from "../runtime/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import type { ContestedObjects } from "./contested-objects.ts";
import { ParsedObjects } from "./parsed-objects.ts";
import type { Cache, Informer, InformerLease, InformerScope } from "./informer.ts";
import { reflectorDefaults, type ReflectorLimits } from "./reflector-state.ts";
import { SharedInformer } from "./shared-informer.ts";
import { checkArgument } from "../util/call-options.ts";

export interface CacheOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** Freezes objects on read, so that mutations fail; for development and tests. */
  readonly frozen?: boolean;
  /**
   * Managers whose managedFields entries are kept, e.g. those that start with `<operator>/`.
   * Default: none.
   */
  readonly keepManagers?: (manager: string) => boolean;
  /** Objects whose managedFields are kept whole. */
  readonly contested?: ContestedObjects;
  /** Reduces objects of a kind before they are stored; must keep apiVersion, kind and metadata. */
  readonly projections?: ReadonlyMap<Kind, (object: any) => unknown>;
  /** Which objects of these kinds are cached, where `acquire` does not say. */
  readonly kinds?: readonly CachedKind[];
  /** As `kinds`, until {@link Cache.widen}. */
  readonly narrowed?: readonly NarrowedKind[];
  /** Limit of parsed objects in memory. Default 10,000. */
  readonly maxParsedObjects?: number;
  /** Limit of their size, as JSON text. Default 64 MiB. */
  readonly maxParsedBytes?: number;
  /** Scope for `acquire` without a scope. */
  readonly defaultScope?: InformerScope;
  readonly limits?: Partial<ReflectorLimits>;
  /**
   * Interval of comparisons with the server. Default 10 h (controller-runtime's SyncPeriod); 0
   * disables them.
   */
  readonly compareEveryMs?: number;
  /**
   * Receives errors of handlers and index functions with the object's key, and skipped objects.
   * Default: a process warning.
   */
  readonly onError?: (error: unknown, kind: Kind, key?: string) => void;
}

/** What is cached of one kind. */
export interface CachedKindOptions<O = any> {
  /** Caches the objects whose labels match, e.g. `app=web`; others do not exist for reads. */
  readonly labelSelector?: string | undefined;
  /** As `labelSelector`, by the fields that the server selects by. */
  readonly fieldSelector?: string | undefined;
  /**
   * Reduces objects before they are stored; what it returns is read in their place. Pure. Types do
   * not know what it drops: where paths can say what to keep, declare `fieldsOf(kind, …)`.
   */
  readonly project?: ((object: O) => O) | undefined;
}

/** A kind and what is cached of it. */
export type CachedKind<K extends Kind = any> = readonly [
  kind: K,
  options: CachedKindOptions<ObjectOf<K>>,
];

/** A kind, and the scope of those of its objects that anyone reads. */
export type NarrowedKind = readonly [kind: Kind, scope: InformerScope];

/** Creates a cache; informers start with `start()`. */
export function createCache(options: CacheOptions): Cache {
  checkArgument("createCache(…)", ["its argument", options], "an object");
  const observes = (options.client as Partial<Client> | undefined)?.observeWrites;
  checkArgument("createCache(…)", ["client.observeWrites", observes], "a function");
  checkArgument("createCache(…)", ["runtime", options.runtime], "a runtime");
  return new InformerCache(options);
}

interface Shared {
  readonly informer: SharedInformer;
  /** As `acquire` was asked for it. */
  readonly wanted: InformerScope;
  leases: number;
}

class InformerCache implements Cache {
  readonly #options: CacheOptions;
  readonly #parsedObjects: ParsedObjects;
  readonly #informers = new Map<string, Shared>();
  readonly #listeners = new Set<(informer: Informer) => void>();
  readonly #narrowed: Map<string, InformerScope>;
  readonly #matches = new Map<ResourceDefinition, MatchStructure>();
  readonly #unobserve: () => void;
  #started = false;
  /** Keeps the process alive while no socket or timer does. */
  #hold: Timer | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#narrowed = new Map(options.narrowed?.map(([kind, scope]) => [kindOf(kind), scope]));
    this.#parsedObjects = new ParsedObjects({
      objects: options.maxParsedObjects ?? 10_000,
      bytes: options.maxParsedBytes ?? 64 * 1024 * 1024,
    });
    this.#unobserve = options.client.observeWrites((write) => {
      for (const { informer } of this.#informers.values()) informer.written(write);
    });
  }

  acquire<K extends Kind>(
    kind: K,
    wanted: InformerScope = this.#options.defaultScope ?? {},
  ): InformerLease<K> {
    const scope = this.#scopeOf(kind, wanted);
    const id = [
      kind.apiVersion,
      kind.resource,
      scope.namespace,
      scope.labelSelector,
      scope.fieldSelector,
      scope.metadataOnly ? "metadata" : viewId(kind),
    ].join("\n");
    const shared = this.#informers.get(id) ?? this.#open(id, kind, { scope, wanted });
    shared.leases++;
    let released = false;
    return {
      informer: shared.informer as Informer<any>,
      release: () => {
        if (released) return;
        released = true;
        if (--shared.leases > 0) return;
        shared.informer.stop();
        this.#informers.delete(id);
      },
    };
  }

  #scopeOf(kind: Kind, wanted: InformerScope): InformerScope {
    const { labelSelector, fieldSelector } = this.#optionsOf(kind) ?? {};
    const narrow = this.#narrowed.get(kindOf(kind));
    const namespace = wanted.namespace ?? narrow?.namespace;
    return {
      namespace: kind.scope === "Cluster" ? undefined : namespace,
      labelSelector: wanted.labelSelector ?? labelSelector ?? narrow?.labelSelector,
      fieldSelector: wanted.fieldSelector ?? fieldSelector ?? narrow?.fieldSelector,
      metadataOnly: wanted.metadataOnly || isMetadataKind(kind),
      ...(isFieldsKind(kind) ? { fields: kind.fields } : {}),
    };
  }

  /** Watches that start together are not renewed together: each takes two requests, 1 s apart. */
  #longMs(): number {
    return reflectorDefaults.longMs - 2000 * (this.#informers.size % 3);
  }

  #optionsOf({ apiVersion, kind }: Kind): CachedKindOptions | undefined {
    return this.#options.kinds?.find(
      ([one]) => one.apiVersion === apiVersion && one.kind === kind,
    )?.[1];
  }

  /** Informers of one definition share its compiled structure. */
  #matchOf(kind: Kind): MatchStructure | undefined {
    const definition = definitionOfKind(kind);
    if (!definition) return undefined;
    const match = this.#matches.get(definition) ?? compileStructure(definition);
    this.#matches.set(definition, match);
    return match;
  }

  async widen(kind: Kind): Promise<void> {
    if (!this.#narrowed.delete(kindOf(kind))) return;
    const narrowed = [...this.#informers.values()].filter(
      ({ informer }) => kindOf(informer.kind) === kindOf(kind),
    );
    await Promise.all(
      narrowed.map(({ informer, wanted }) => informer.widen(this.#scopeOf(informer.kind, wanted))),
    );
  }

  informers(): readonly Informer[] {
    return Array.from(this.#informers.values(), ({ informer }) => informer);
  }

  onFreshness(listener: (informer: Informer) => void): { remove(): void } {
    this.#listeners.add(listener);
    return { remove: () => void this.#listeners.delete(listener) };
  }

  parsed(): { readonly objects: number; readonly bytes: number } {
    return { objects: this.#parsedObjects.size, bytes: this.#parsedObjects.bytes };
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#hold = this.#options.runtime.clock.hold?.();
    for (const { informer } of this.#informers.values()) informer.start();
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(
      Array.from(this.#informers.values(), ({ informer }) => informer.synced(signal)),
    );
  }

  async stop(): Promise<void> {
    this.#unobserve();
    this.#hold?.cancel();
    for (const { informer } of this.#informers.values()) informer.stop();
    this.#informers.clear();
  }

  #open(
    id: string,
    kind: Kind,
    { scope, wanted }: Pick<Shared, "wanted"> & { readonly scope: InformerScope },
  ): Shared {
    const {
      client,
      runtime,
      limits,
      frozen = false,
      keepManagers = () => false,
      contested,
      projections,
      onError,
    } = this.#options;
    const informer = new SharedInformer({
      client,
      runtime,
      kind,
      scope,
      limits: { ...reflectorDefaults, longMs: this.#longMs(), ...limits },
      compareEveryMs: this.#options.compareEveryMs ?? 36_000_000,
      shape: {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        frozen,
        promisesStatus: promisesStatus(kind) && !scope.metadataOnly && takesStatus(kind),
        metadataOnly: scope.metadataOnly === true,
        parsedObjects: this.#parsedObjects,
        match: scope.metadataOnly ? undefined : this.#matchOf(kind),
        keepManager: keepManagers,
        ...(contested ? { isContested: contested.ofKind(kindOf(kind)) } : {}),
        project: scope.metadataOnly
          ? undefined
          : (projectionOf(kind) ?? this.#optionsOf(kind)?.project ?? projections?.get(kind)),
      },
      onError: (error, key) => (onError ?? warn)(error, kind, key),
    });
    const shared: Shared = { informer, wanted, leases: 0 };
    this.#informers.set(id, shared);
    informer.onFreshness(() => this.#listeners.forEach((listener) => listener(informer)));
    if (this.#started) informer.start();
    return shared;
  }
}

/** `fieldsOf` decides alone, so that its objects are what their types say. */
function projectionOf(kind: Kind): ((object: any) => unknown) | undefined {
  return isFieldsKind(kind) ? (object) => takeFields(object, kind.fields) : undefined;
}

const takesStatus = (kind: Kind): boolean =>
  !isFieldsKind(kind) || kind.fields.some((field) => field.split(".")[0] === "status");

const kindOf = ({ apiVersion, kind }: Kind): string => `${apiVersion}/${kind}`;

function warn(error: unknown, kind: Kind, key?: string): void {
  const said = describeCacheError(error, kind, key);
  const stack = error instanceof Error && !isOfServer(error) ? `\n${error.stack}` : "";
  process.emitWarning(`${said}${stack}`, { type: "HomeostatWarning" });
}

/** One line about an error that `onError` receives. */
export function describeCacheError(error: unknown, { kind }: Kind, key?: string): string {
  return isOfServer(error)
    ? (error as Error).message
    : `a handler or index function of the ${kind} cache threw${key ? ` for ${key}` : ""}: ${describeError(error)}`;
}

const codesOfServer = ["ERR_CACHE_OBJECT", "ERR_CLIENT_WATCH_EVENT", "ERR_OBJECT_MISMATCH"];
const isOfServer = (error: unknown) => codesOfServer.some((code) => isHomeostatError(error, code));
