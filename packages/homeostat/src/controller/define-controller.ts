// What users write: one controller for one kind. The types are the product here; `Controller` is
// opaque on purpose, since a generic one makes declaration files and type-checking grow.
// `defineController` is never overloaded: one overload turns the parameter of every `ref(…)` into
// unknown.
import type { Condition, ConditionOf, Kind, ManifestOf, ObjectOf, StatusOf } from "../api/kind.ts";
import type { View } from "../api/resource/schema.ts";
import type { Result, Retry, Wait } from "./outcome.ts";
import type { Ref } from "./ref.ts";
import type { ControllerClient } from "./controller-client.ts";

export type RefsOf<K extends Kind> = { readonly [name: string]: Ref<ObjectOf<K>, Kind, boolean> };

/** How `own` treats its set. */
export interface OwnOptions {
  /** Names a set when one kind is owned in several; each set prunes only itself. */
  readonly set?: string;
  /** Takes over an object of that name that belongs to nobody. Default: an error. */
  readonly adopt?: boolean;
}

/**
 * Makes the owned objects of one kind what `desired` says: applies what differs, deletes what is no
 * longer desired. Resolves to the objects as they now are, in the order of `desired`.
 */
export type Own<Owned extends Kind> = [Owned] extends [never]
  ? (...undeclared: readonly "ERR_UNDECLARED: list the kind in `owns`"[]) => never
  : <O extends Owned>(
      kind: O,
      desired: readonly ManifestOf<O>[],
      options?: OwnOptions,
    ) => Promise<readonly ObjectOf<O>[]>;

/** A logger bound to the object at hand. */
export interface ReconcileLog {
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What reconcile and finalize are given. */
export interface Context<K extends Kind, Owned extends Kind = never, R = {}> {
  /** The object, deep read-only; never older than this process's own writes. */
  readonly object: ObjectOf<K>;
  /** The objects behind declared references. */
  readonly refs: {
    readonly [P in keyof R]: R[P] extends Ref<any, infer T, infer Many>
      ? Many extends true
        ? readonly ObjectOf<T>[]
        : ObjectOf<T> | undefined
      : never;
  };
  readonly own: Own<Owned>;
  /**
   * Says status fields. Accumulates; fields not mentioned keep what this controller said last;
   * undefined clears.
   */
  readonly status: [StatusOf<K>] extends [never]
    ? (...undeclared: readonly "ERR_UNDECLARED: the resource has no status schema"[]) => never
    : (set: { readonly [P in keyof StatusOf<K>]?: View<StatusOf<K>[P]> | undefined }) => void;
  /** Says a condition. lastTransitionTime and observedGeneration are filled in. */
  readonly condition: [ConditionOf<K>] extends [never]
    ? (...undeclared: readonly "ERR_UNDECLARED: the resource has no `conditions`"[]) => never
    : (type: ConditionOf<K>, status: Condition["status"], reason: string, message?: string) => void;
  readonly wait: Wait<keyof R & string>;
  readonly retry: Retry;
  /**
   * Runs one named piece of work under a deadline; its name is what people are shown while it runs
   * and when it fails. Work that outlives its deadline keeps the object from being reconciled until
   * it settles.
   */
  step<T>(
    name: string,
    work: (signal: AbortSignal) => Promise<T>,
    options?: { readonly timeout?: string | number },
  ): Promise<T>;
  /**
   * For what `own`, `status` and `condition` do not cover. Revoked when the reconcile is abandoned.
   */
  readonly client: ControllerClient;
  readonly log: ReconcileLog;
  /** Aborts at the deadline and at shutdown. */
  readonly signal: AbortSignal;
}

/** What users implement. */
export interface Handlers<Ctx> {
  /**
   * Stable for ever: the field manager and the finalizer carry it. Default: the kind in lower case.
   */
  readonly name?: string;
  /**
   * Objects reconciled at the same time; one object is never reconciled twice at once. Default 1.
   */
  readonly concurrency?: number;
  /**
   * A reconcile that takes longer is abandoned: its signal aborts, its client is revoked, its
   * object stalls until it settles. Default: none.
   */
  readonly timeout?: string | number;
  /**
   * Called for every object that may have to change. What it said about status is written whether
   * it returns or throws.
   */
  reconcile(context: Ctx): Result;
  /** Runs when the object is being deleted; the finalizer is kept while this throws or waits. */
  finalize?(context: Ctx): Result;
}

/** A controller, ready to be given to `createManager`. */
export interface Controller<K extends Kind = any, Owned extends Kind = any, R = any> {
  readonly name: string;
  readonly "~context": Context<K, Owned, R>;
}

/** What a {@link Controller} holds for the runtime. */
export interface ControllerDefinition {
  readonly name: string;
  readonly kind: Kind;
  readonly owns: readonly Kind[];
  readonly refs: Readonly<Record<string, Ref<any, Kind, boolean>>>;
  readonly concurrency: number;
  readonly timeout?: string | number;
  reconcile(context: Context<any, any, any>): Result;
  readonly finalize?: (context: Context<any, any, any>) => Result;
}

/**
 * A kind with what a controller of it owns and refers to, named so that reconcile can be split into
 * functions.
 */
export interface Scope<K extends Kind, Owned extends Kind, R> {
  readonly kind: K;
  readonly owns?: readonly Owned[];
  readonly refs?: R;
  readonly "~context": Context<K, Owned, R>;
}

/** The context type of a scope or a controller. */
export type ContextOf<S extends { readonly "~context": any }> = S["~context"];

/**
 * Declares a scope: `const scope = defineScope(Order, { owns: [Meal] }); type Ctx =
 * ContextOf<typeof scope>`.
 */
export function defineScope<K extends Kind, Owned extends Kind = never, R extends RefsOf<K> = {}>(
  kind: K,
  declared: { readonly owns?: readonly Owned[]; readonly refs?: R },
): Scope<K, Owned, R> & {
  controller(handlers: Handlers<Context<K, Owned, R>>): Controller<K, Owned, R>;
} {
  return {
    kind,
    ...declared,
    controller: (handlers: Handlers<Context<K, Owned, R>>) =>
      defineController<K, Owned, R>(kind, { ...declared, ...handlers }),
  } as never;
}

/** Declares a controller of one kind. Nothing runs until a manager starts it. */
export function defineController<
  K extends Kind,
  Owned extends Kind = never,
  R extends RefsOf<K> = {},
>(
  kind: K,
  definition: Handlers<Context<K, Owned, R>> & {
    readonly owns?: readonly Owned[];
    readonly refs?: R;
  },
): Controller<K, Owned, R> {
  const { finalize } = definition;
  const runtime: ControllerDefinition = {
    name: definition.name ?? kind.kind.toLowerCase(),
    kind,
    owns: definition.owns ?? [],
    refs: (definition.refs ?? {}) as ControllerDefinition["refs"],
    concurrency: definition.concurrency ?? 1,
    ...(definition.timeout === undefined ? {} : { timeout: definition.timeout }),
    reconcile: (context) => definition.reconcile(context as never),
    ...(finalize ? { finalize: (context) => finalize.call(definition, context as never) } : {}),
  };
  return Object.freeze(runtime) as never;
}

/** The runtime's view of a controller. */
export function definitionOf(controller: Controller): ControllerDefinition {
  return controller as unknown as ControllerDefinition;
}
