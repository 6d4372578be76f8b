// All informers of a process over one client: shared by kind and scope, counted by holds, told of
// every own write.
import type { Kind } from "../api/kind.ts";
import type { Client } from "../client/client.ts";
import { promisesStatus } from "../client/readable.ts";
import type { Timer } from "../runtime/clock.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HotViews } from "./hot-views.ts";
import type { Cache, Informer, InformerLease, InformerScope } from "./informer.ts";
import { reflectorDefaults, type ReflectorLimits } from "./reflector.machine.ts";
import { SharedInformer } from "./shared-informer.ts";

export interface CacheOptions {
  readonly client: Client;
  readonly runtime: Runtime;
  /** Freezes what is read, so that mutating it fails; for development and tests. */
  readonly frozen?: boolean;
  /**
   * Managers whose managedFields entries are kept, e.g. those that begin with `<operator>/`;
   * default none.
   */
  readonly keepManagers?: (manager: string) => boolean;
  /**
   * Makes objects of a kind smaller before they are held; must keep apiVersion, kind and metadata.
   */
  readonly projections?: ReadonlyMap<Kind, (object: any) => unknown>;
  /** Parsed views held at most; default 10,000. */
  readonly hotViews?: number;
  /** Scope of a kind where `acquire` names none. */
  readonly defaultScope?: InformerScope;
  readonly limits?: Partial<ReflectorLimits>;
  /**
   * How often each informer is compared with the server; default 10 h (controller-runtime's
   * SyncPeriod), 0 for never.
   */
  readonly compareEveryMs?: number;
  /** Told of what handlers and index functions throw; default: a process warning. */
  readonly faulted?: (error: unknown, kind: Kind) => void;
}

/** Creates a cache; nothing is listed before `start()`. */
export function createCache(options: CacheOptions): Cache {
  return new InformerCache(options);
}

interface Held {
  readonly informer: SharedInformer;
  holds: number;
}

class InformerCache implements Cache {
  readonly #options: CacheOptions;
  readonly #hot: HotViews;
  readonly #held = new Map<string, Held>();
  readonly #unobserve: () => void;
  #started = false;
  /** While servers are away there is neither socket nor timer that would keep the process. */
  #hold: Timer | undefined;

  constructor(options: CacheOptions) {
    this.#options = options;
    this.#hot = new HotViews(options.hotViews ?? 10_000);
    this.#unobserve = options.client.observeWrites((write) => {
      for (const { informer } of this.#held.values()) informer.written(write);
    });
  }

  acquire<K extends Kind>(
    kind: K,
    wanted: InformerScope = this.#options.defaultScope ?? {},
  ): InformerLease<K> {
    const scope = kind.scope === "Cluster" ? { ...wanted, namespace: undefined } : wanted;
    const id = [
      kind.apiVersion,
      kind.resource,
      scope.namespace ?? "",
      scope.labelSelector ?? "",
      scope.fieldSelector ?? "",
      scope.metadataOnly ? "metadata" : "",
    ].join("\n");
    const held = this.#held.get(id) ?? this.#open(id, kind, scope);
    held.holds++;
    let released = false;
    return {
      informer: held.informer as Informer<any>,
      release: () => {
        if (released) return;
        released = true;
        if (--held.holds > 0) return;
        held.informer.stop();
        this.#held.delete(id);
      },
    };
  }

  informers(): readonly Informer[] {
    return Array.from(this.#held.values(), ({ informer }) => informer);
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#hold = this.#options.runtime.clock.hold?.();
    for (const { informer } of this.#held.values()) informer.start();
  }

  async synced(signal?: AbortSignal): Promise<void> {
    await Promise.all(Array.from(this.#held.values(), ({ informer }) => informer.synced(signal)));
  }

  async stop(): Promise<void> {
    this.#unobserve();
    this.#hold?.cancel();
    for (const { informer } of this.#held.values()) informer.stop();
    this.#held.clear();
  }

  #open(id: string, kind: Kind, scope: InformerScope): Held {
    const {
      client,
      runtime,
      limits,
      frozen = false,
      keepManagers = () => false,
      projections,
      faulted,
    } = this.#options;
    const informer = new SharedInformer({
      client,
      runtime,
      kind,
      scope,
      limits: { ...reflectorDefaults, ...limits },
      compareEveryMs: this.#options.compareEveryMs ?? 36_000_000,
      shape: {
        apiVersion: kind.apiVersion,
        kind: kind.kind,
        frozen,
        promisesStatus: promisesStatus(kind) && !scope.metadataOnly,
        metadataOnly: scope.metadataOnly === true,
        hot: this.#hot,
        keepManager: keepManagers,
        project: scope.metadataOnly ? undefined : projections?.get(kind),
      },
      faulted: (error) => (faulted ? faulted(error, kind) : warn(error, kind)),
    });
    const held: Held = { informer, holds: 0 };
    this.#held.set(id, held);
    if (this.#started) informer.start();
    return held;
  }
}

function warn(error: unknown, { kind }: Kind): void {
  process.emitWarning(
    `a handler or index of the ${kind} cache threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    { type: "HomeostatWarning" },
  );
}
