// The API that users write controllers with. `Controller` is opaque, because a generic type would
// slow down type checking and bloat declaration files. `defineController` has no overloads: one
// overload would turn the parameter of every `ref(…)` into unknown.
import type { Condition, ConditionOf, Kind, ObjectOf, StatusOf } from "../api/kind.ts";
import type { View } from "../api/resource/schema.ts";
import { checkDefinition, checkScope } from "./check-definition.ts";
import type { ExternalSource } from "./external-source.ts";
import type { Predicate } from "./predicates.ts";
import type { Permission } from "../api/permission.ts";
import type { Own } from "./own/own-function.ts";
import type { Trigger } from "./trigger.ts";
import type { Log } from "../util/guard-log.ts";
import type { Rate } from "../queue/token-bucket.ts";
import type { Result, Retry, Wait } from "./outcome.ts";
import type { Ref } from "./ref.ts";
import type { ControllerClient } from "./controller-client.ts";
import type { Watch } from "./watching/all.ts";
import type { CachedReads, Index } from "./watching/declared-reads.ts";
import type { Selection } from "./watching/selection.ts";
import type { Reads } from "./boundaries/reads.ts";
import type { ReplicaOptions } from "./replica-options.ts";
import type { Signal } from "./signals/signal.ts";
import { pickSet } from "../util/pick-set.ts";

export type RefsOf<K extends Kind> = { readonly [name: string]: Ref<ObjectOf<K>, Kind, boolean> };

export type WatchesOf<K extends Kind> = { readonly [name: string]: Watch<ObjectOf<K>, Kind> };
export type IndexesOf = { readonly [name: string]: Index<Kind> };

/** The kinds of declared references or watches. */
type TargetOf<R> = {
  readonly [P in keyof R]: R[P] extends { readonly target: infer T } ? T : never;
}[keyof R] &
  Kind;

/** The objects of declared watches. */
type Watched<W> = [keyof W] extends [never]
  ? object & { readonly "ERR_UNDECLARED: declare it in `watches`"?: never }
  : { readonly [P in keyof W]: W[P] extends Watch<any, infer T> ? readonly ObjectOf<T>[] : never };

/** A logger bound to the reconciled object. */
export interface ReconcileLog extends Log {}

/** Records Events on the reconciled object, which `kubectl describe` shows. */
export interface ObjectRecorder {
  /** `reason` is short and in CamelCase, `note` is for people. Never throws and never blocks. */
  event(type: "Normal" | "Warning", reason: string, note: string): void;
}

/** What the runtime reports by itself. Events and conditions are on by default. */
export interface Reports {
  /** Events about failures, and about their end. */
  readonly events?: boolean;
  /**
   * The conditions Reconciling and Stalled, as kstatus reads them: on resources made by
   * `defineResource` that have a status and do not declare these conditions themselves.
   */
  readonly conditions?: boolean;
  /**
   * Labels and annotations that a reconcile reads by name and does not declare
   * (ERR_METADATA_UNDECLARED). Default: found in samples; true: in each run, through proxies, as in
   * a test cluster.
   */
  readonly metadata?: boolean;
}

/** The context of reconcile and finalize. */
export interface Context<K extends Kind, Owned extends Kind = never, R = {}, W = {}, I = {}> {
  /** Name of the object's cluster, which all of this context addresses; "" where there is one. */
  readonly cluster: string;
  /** The object, deep read-only; never older than this process's own writes. */
  readonly object: ObjectOf<K>;
  /** The targets of declared references. */
  readonly refs: {
    readonly [P in keyof R]: R[P] extends Ref<any, infer T, infer Many>
      ? Many extends true
        ? readonly ObjectOf<T>[]
        : ObjectOf<T> | undefined
      : never;
  };
  /** The objects of declared watches that exist, by key. */
  readonly watches: Watched<W>;
  /** Synchronous reads of declared kinds. They wake nothing; `refs` and `watches` do. */
  readonly cache: CachedReads<K | Owned | TargetOf<R> | TargetOf<W>, I>;
  /**
   * Watches objects of a kind that is known only now, until a run ends without this call; resolves
   * to those that match. `namespace` defaults to the object's; "" for all.
   */
  watch<T extends Kind>(kind: T, selection?: Selection): Promise<readonly ObjectOf<T>[]>;
  readonly own: Own<Owned>;
  /**
   * Sets status fields. Calls accumulate; fields that are not set keep the value that this
   * controller wrote last; undefined clears.
   */
  readonly status: [StatusOf<K>] extends [never]
    ? (...undeclared: readonly "ERR_UNDECLARED: the resource has no status schema"[]) => never
    : (set: { readonly [P in keyof StatusOf<K>]?: View<StatusOf<K>[P]> | undefined }) => void;
  /** Sets a condition. lastTransitionTime and observedGeneration are set automatically. */
  readonly condition: [ConditionOf<K>] extends [never]
    ? (...undeclared: readonly "ERR_UNDECLARED: the resource has no `conditions`"[]) => never
    : (type: ConditionOf<K>, status: Condition["status"], reason: string, message?: string) => void;
  readonly wait: Wait<keyof R & string>;
  readonly retry: Retry;
  /**
   * Runs a named piece of work under a deadline. The name appears in the object's state while it
   * runs, and in the error when it fails. Work that exceeds its deadline blocks the object until it
   * settles.
   */
  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options?: { readonly timeout?: string | number },
  ): Promise<T>;
  /**
   * For requests that `own`, `status` and `condition` do not cover. Revoked when the reconcile is
   * abandoned.
   */
  readonly client: ControllerClient;
  readonly log: ReconcileLog;
  readonly recorder: ObjectRecorder;
  /** Aborts at the deadline and at shutdown. */
  readonly signal: AbortSignal;
}

/** A controller's functions and settings. */
export interface Handlers<Ctx extends { readonly object: unknown }> extends ReplicaOptions {
  /**
   * Permanent, because objects store it in field manager and finalizer. Default: the kind in lower
   * case.
   */
  readonly name?: string;
  /** The field manager, in place of `<operator>/<controller>`: to take over another's objects. */
  readonly fieldManager?: string;
  /**
   * The finalizer, in place of `<group>/<operator>.<controller>`: for a controller that takes over
   * objects of one with another name.
   */
  readonly finalizer?: string;
  /**
   * Number of objects reconciled concurrently; one object is never reconciled twice at once.
   * Default 1, and another object's turn comes while a reconcile waits for an answer of the API
   * server for more than a second; an explicit 1 never interleaves two reconciles.
   */
  readonly concurrency?: number;
  /**
   * A reconcile that takes longer is abandoned: its signal aborts, its client is revoked, and its
   * object is stalled until it settles. Default 10 min; one that still runs after a minute is
   * logged.
   */
  readonly timeout?: string | number;
  /** Overrides the manager's `reports`. */
  readonly reports?: Reports;
  /**
   * Drops updates of the controller's own objects for which it returns false, e.g. `or(
   * generationChanged, labelsChanged)`. Additions, and deletions from their beginning, count.
   */
  readonly when?: Predicate<Ctx["object"]>;
  /**
   * What reconcile reads on purpose although its changes reconcile nothing, and labels and
   * annotations that it interprets. Such reads are not reported (ERR_READ_UNDECLARED,
   * ERR_METADATA_UNDECLARED).
   */
  readonly reads?: Reads;
  /** Its rights for `client` and `watch(kind)`; all others follow from what it declares. */
  readonly permissions?: readonly Permission[];
  /** The signals that it sets, clears or reads. */
  readonly signals?: readonly Signal[];
  /** Reconciles every object again after each interval such as `"10m"`. Default: never. */
  readonly resyncEvery?: string | number;
  /** Keys from outside the cluster, by the source's name; reconcile runs for objects that exist. */
  readonly sources?: Readonly<Record<string, ExternalSource>>;
  /** First and longest delay after failures, doubling; default 5 ms and 1000 s. */
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  /**
   * Limits the retries of all objects together, conflicts included: `qps` a second after a first
   * `burst`. An object is retried after the longer of this delay and its own. Changes are not held
   * up, nor is `retry.in(…)`. Default: no limit; client-go's controllers have `{ qps: 10, burst:
   * 100 }`.
   */
  readonly retryRate?: Rate;
  /**
   * The priority of a reconcile, a whole number; higher runs first, and one in eight is that of the
   * longest wait. Undefined keeps the default. Of several triggers the highest counts. Pure; called
   * for every trigger.
   */
  readonly priority?: (trigger: Trigger<Ctx["object"]>) => number | undefined;
  /**
   * Namespaces take turns: an object waits for at most one object of each other namespace before
   * its own namespace's turn, within its priority. Default: in the order of their triggers.
   */
  readonly fairBy?: "namespace";
  /**
   * Called for every object that may need a change. The status it set is written whether it returns
   * or throws.
   */
  reconcile(context: Ctx): Result;
  /**
   * Runs when the object is being deleted; the finalizer stays while it throws, waits or retries.
   * Also runs for an object that does not match its definition, with what is in it.
   */
  finalize?(context: Ctx): Result;
}

/** A controller for `createManager`. */
export interface Controller<
  K extends Kind = any,
  Owned extends Kind = any,
  R = any,
  W = any,
  I = any,
> {
  readonly name: string;
  readonly "~context": Context<K, Owned, R, W, I>;
}

/** The runtime's part of a {@link Controller}. */
export interface ControllerDefinition extends ReplicaOptions {
  readonly name: string;
  readonly kind: Kind;
  readonly owns: readonly Kind[];
  readonly refs: Readonly<Record<string, Ref<any, Kind, boolean>>>;
  readonly watches: Readonly<Record<string, Watch<any, Kind>>>;
  readonly indexes: Readonly<Record<string, Index<Kind>>>;
  readonly concurrency: number;
  /** A run that waits for the server frees its worker: the user has set no `concurrency`. */
  readonly lendsWorker: boolean;
  readonly timeout: string | number;
  readonly reports?: Reports;
  readonly when?: Predicate;
  readonly reads: Reads;
  readonly permissions: readonly Permission[];
  readonly signals: readonly Signal[];
  readonly resyncEvery?: string | number;
  readonly sources: Readonly<Record<string, ExternalSource>>;
  readonly backoff?: { readonly firstMs: number; readonly maxMs: number };
  readonly retryRate?: Rate;
  readonly priority?: (trigger: Trigger) => number | undefined;
  readonly fairBy?: "namespace";
  readonly fieldManager?: string;
  readonly finalizer?: string;
  reconcile(context: Context<any, any, any, any, any>): Result;
  readonly finalize?: (context: Context<any, any, any, any, any>) => Result;
}

/** What a controller owns, refers to, watches and indexes. */
export interface Declared<Owned extends Kind, R, W, I> {
  readonly owns?: readonly Owned[];
  readonly refs?: R;
  readonly watches?: W;
  readonly indexes?: I;
}

/**
 * A kind with what its controller declares, separately so that reconcile can be split into
 * functions.
 */
export interface Scope<K extends Kind, Owned extends Kind, R, W = {}, I = {}> extends Declared<
  Owned,
  R,
  W,
  I
> {
  readonly kind: K;
  readonly "~context": Context<K, Owned, R, W, I>;
}

/** The context type of a scope or a controller. */
export type ContextOf<S extends { readonly "~context": any }> = S["~context"];

/**
 * Declares a scope: `const scope = defineScope(Order, { owns: [Meal] }); type Ctx =
 * ContextOf<typeof scope>`.
 */
export function defineScope<
  K extends Kind,
  Owned extends Kind = never,
  R extends RefsOf<K> = {},
  W extends WatchesOf<K> = {},
  I extends IndexesOf = {},
>(
  kind: K,
  declared: Declared<Owned, R, W, I>,
): Scope<K, Owned, R, W, I> & {
  controller(handlers: Handlers<Context<K, Owned, R, W, I>>): Controller<K, Owned, R, W, I>;
} {
  checkScope(kind, declared);
  return {
    kind,
    ...declared,
    controller: (handlers: Handlers<Context<K, Owned, R, W, I>>) =>
      defineController<K, Owned, R, W, I>(kind, { ...declared, ...handlers }),
  } as never;
}

/** Declares a controller of one kind. A manager starts it. */
export function defineController<
  K extends Kind,
  Owned extends Kind = never,
  R extends RefsOf<K> = {},
  W extends WatchesOf<K> = {},
  I extends IndexesOf = {},
>(
  kind: K,
  definition: Handlers<Context<K, Owned, R, W, I>> & {
    readonly owns?: readonly Owned[];
    readonly refs?: R;
    readonly watches?: W;
    readonly indexes?: I;
  },
): Controller<K, Owned, R, W, I> {
  checkDefinition(kind, definition);
  const { finalize } = definition;
  const runtime: ControllerDefinition = {
    name: definition.name ?? kind.kind.toLowerCase(),
    kind,
    owns: definition.owns ?? [],
    refs: (definition.refs ?? {}) as ControllerDefinition["refs"],
    watches: (definition.watches ?? {}) as ControllerDefinition["watches"],
    indexes: definition.indexes ?? {},
    concurrency: definition.concurrency ?? 1,
    lendsWorker: definition.concurrency === undefined,
    timeout: definition.timeout ?? "10m",
    sources: definition.sources ?? {},
    ...pickSet(definition, [
      "when",
      "resyncEvery",
      "backoff",
      "retryRate",
      "priority",
      "fairBy",
      "needLeaderElection",
      "shardBy",
      "reports",
      "fieldManager",
      "finalizer",
    ]),
    reads: definition.reads ?? {},
    permissions: definition.permissions ?? [],
    signals: definition.signals ?? [],
    reconcile: (context) => definition.reconcile(context as never),
    ...(finalize ? { finalize: (context) => finalize.call(definition, context as never) } : {}),
  };
  return Object.freeze(runtime) as never;
}

/** The runtime's view of a controller. */
export function definitionOf(controller: Controller): ControllerDefinition {
  return controller as unknown as ControllerDefinition;
}
