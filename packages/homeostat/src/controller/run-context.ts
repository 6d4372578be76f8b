// The context that the user's code receives: a plain object, whose dearer parts are made when they
// are first read.
import { formatObjectKey } from "../api/gvk.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { describeError } from "../util/describe-error.ts";
import { createMetadataObserver } from "./boundaries/undeclared-metadata.ts";
import type { Context, ControllerDefinition } from "./define-controller.ts";
import { observeStatus } from "./echo/observe-status.ts";
import { retry } from "./outcome.ts";
import type { LeftOut, OwnOptions } from "./own/own-function.ts";
import { resolveRefs, type TargetInformer } from "./resolve-refs.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import type { RunScope } from "./run/run-scope.ts";
import type { ConditionIntent } from "./status-intent.ts";
import { createCachedReads } from "./watching/cached-reads.ts";
import type { CachedReads } from "./watching/declared-reads.ts";
import { resolveWatches } from "./watching/resolve-watches.ts";
import type { Selection } from "./watching/selection.ts";

/** What a run contributes to its context. */
export interface ContextRun {
  readonly object: KubeObject;
  readonly scope: RunScope;
  readonly observe: Observe;
  readonly wait: unknown;
  readonly client: unknown;
  readonly recorder: unknown;
  readonly log: unknown;
  own(kind: Kind, given: readonly (KubeObject | LeftOut)[], options?: OwnOptions): unknown;
  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options?: { readonly timeout?: string | number },
  ): Promise<T>;
  watch(kind: Kind, options?: Selection): Promise<readonly unknown[]>;
  status(fields: Readonly<Record<string, unknown>>): void;
  condition(condition: ConditionIntent): void;
}

/** Creates the context of a run. */
export function createContext(dependencies: ReconcileDependencies, run: ContextRun): object {
  const { definition } = dependencies;
  const { observe } = run;
  const recorded = recordStart(definition, run.object, run.scope);
  const reads = () => readsOf(dependencies, run, observe);
  return new RunContext(run, () => openCache(dependencies, run, observe), {
    cluster: dependencies.cluster ?? "",
    object: observe(recorded),
    refs: isEmpty(definition.refs) ? nothing : resolveRefs(definition, run.object, reads()),
    watches: isEmpty(definition.watches) ? nothing : resolveWatches(definition, recorded, reads()),
  });
}

/** The parts that are made when the run begins. */
interface AtHand {
  readonly cluster: string;
  readonly object: KubeObject;
  readonly refs: object;
  readonly watches: object;
}

/** The parts that are made when they are first read. */
class LateParts {
  readonly #run: ContextRun;
  readonly #openCache: () => CachedReads<any, any>;
  #cache: CachedReads<any, any> | undefined;

  constructor(run: ContextRun, openCache: () => CachedReads<any, any>) {
    this.#run = run;
    this.#openCache = openCache;
  }

  read(name: (typeof lateNames)[number]): unknown {
    if (name === "cache") return (this.#cache ??= this.#openCache());
    if (name === "watch") return this.#run.watch.bind(this.#run);
    return name === "signal" ? this.#run.scope.signal : this.#run[name];
  }
}

const lateNames = ["wait", "client", "recorder", "log", "signal", "cache", "watch"] as const;

/**
 * Where a context has its late parts. Not private: proxies of a context and its heirs read them.
 */
const late = Symbol("late parts");

/**
 * Users spread and destructure it, so all of its parts are its own. The getters are shared by all
 * contexts: V8 gives an object with getters of its own a dictionary, which is a kilobyte more.
 */
class RunContext {
  static readonly #late = lateNames.map(
    (name) =>
      [
        name,
        {
          enumerable: true,
          get(this: { readonly [late]: LateParts }) {
            return this[late].read(name);
          },
        },
      ] as const,
  );

  readonly cluster: string;
  readonly object: KubeObject;
  readonly refs: object;
  readonly watches: object;
  readonly own: ContextRun["own"];
  readonly step: ContextRun["step"];
  readonly status: ContextRun["status"];
  readonly condition: Context<any, any, any, any, any>["condition"];
  readonly retry = retry;

  constructor(
    run: ContextRun,
    openCache: () => CachedReads<any, any>,
    { cluster, object, refs, watches }: AtHand,
  ) {
    this.cluster = cluster;
    this.object = object;
    this.refs = refs;
    this.watches = watches;
    this.own = run.own.bind(run);
    this.step = run.step.bind(run);
    this.status = run.status.bind(run);
    this.condition = (type, status, reason, message = "") =>
      run.condition({ type, status, reason, message });
    Object.defineProperty(this, late, { value: new LateParts(run, openCache) });
    for (const [name, part] of RunContext.#late) Object.defineProperty(this, name, part);
  }
}

export const isFinal = ({ metadata }: KubeObject): boolean =>
  metadata.deletionTimestamp !== undefined;

const nothing = Object.freeze({});

const isEmpty = (declared: object): boolean => {
  for (const _ in declared) return false;
  return true;
};

/** What the reads of declared references and watches need. */
function readsOf(
  dependencies: ReconcileDependencies,
  { object, scope }: ContextRun,
  observe: Observe,
) {
  return {
    namespaces: dependencies.namespaces,
    observe,
    reading: (kind: Kind) => scope.record.reads(kind),
    informer: (kind: Kind) => dependencies.informer(kind) as TargetInformer | undefined,
    ...(isFinal(object) ? { failed: reportUnresolved(dependencies, object, scope) } : {}),
  };
}

function openCache(
  dependencies: ReconcileDependencies,
  { object, scope }: ContextRun,
  observe: Observe,
) {
  const { definition, narrowing } = dependencies;
  return createCachedReads({
    definition,
    object,
    observe,
    informer: (kind) => dependencies.informer(kind),
    narrowing,
    reading(kind, what) {
      scope.assertRunning(what);
      scope.record.reads(kind);
    },
  });
}

/** An object or a list of them, as the user's code receives it. */
export type Observe = <T>(read: T) => T;

const asIs: Observe = (read) => read;

/** Where labels and annotations are not observed, objects are handed out as they are. */
export function observerOf(dependencies: ReconcileDependencies, object: KubeObject): Observe {
  const { observesMetadata, sampledRuns } = dependencies;
  if (observesMetadata === true) return createMetadataObserver({ ...dependencies, object });
  if (observesMetadata === false || !sampledRuns.next()) return asIs;
  return createMetadataObserver({ ...dependencies, object, observeMap: sampledRuns.observeMap });
}

/** In finalize a reference or watch that cannot be resolved is empty, and blocks no deletion. */
function reportUnresolved(
  { warnings, definition, primary }: ReconcileDependencies,
  { metadata }: KubeObject,
  { title }: RunScope,
) {
  const { message: mismatch } = primary.entry(formatObjectKey(metadata))?.mismatch ?? {};
  return (what: string, error: unknown): void =>
    warnings.warn(title, what, {
      message: `finalize runs without ${what}: ${mismatch === undefined ? describeError(error) : `the object does not match its definition: ${mismatch}`}`,
      controller: definition.name,
      error,
    });
}

/** Starts the record of what the user's code reads; returns the object that it receives. */
function recordStart(
  { kind }: ControllerDefinition,
  object: KubeObject,
  { record }: RunScope,
): KubeObject {
  record.starts(kind, object);
  return observeStatus(object, () => record.readsStatus());
}
