// One reconcile of one object: reads it, sees to its finalizer, hands the user a context, and
// writes what was said as one complete apply, whether the user's code returned or threw. Knows no
// queue and no informer beyond reading from them.
import type { Kind } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ControllerDefinition, ReconcileLog } from "./define-controller.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizer.ts";
import type { ControllerNames } from "./names.ts";
import type { Outcome, Result } from "./outcome.ts";
import { createRun, type Run } from "./run-context.ts";
import { writeStatus } from "./write-status.ts";

/** What every reconcile of a controller works with. */
export interface ReconcileDependencies {
  readonly definition: ControllerDefinition;
  readonly names: ControllerNames;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly log: ReconcileLog;
  readonly primary: Informer;
  /** The namespace that informers watch; undefined when they watch all. */
  readonly namespace: string | undefined;
  informer(kind: Kind): Informer | undefined;
  /** Told which step of the user's work is under way. */
  stepping(key: string, step: string | undefined): void;
}

/** What one call works with. */
export interface Call {
  readonly signal: AbortSignal;
  /** Told of work that may outlive the call; its key stays taken until it settles. */
  outliving(work: Promise<unknown>): void;
}

/** What a reconcile came to. */
export interface Reconciled {
  /** Why it is not done; undefined when it is. */
  readonly outcome: Outcome | undefined;
  readonly writes: Writes;
}

/** What a reconcile wrote. */
export interface Writes {
  /** In words, e.g. `status.cooked`, `Meal lunch-soup`; empty when nothing was written. */
  readonly wrote: readonly string[];
  /** The resourceVersions that these writes made. */
  readonly revisions: readonly string[];
}

const nothing: Reconciled = { outcome: undefined, writes: { wrote: [], revisions: [] } };

/** Reconciles the object under `key`. Rejects with what went wrong. */
export async function reconcileObject(
  dependencies: ReconcileDependencies,
  key: ObjectKey,
  call: Call,
): Promise<Reconciled> {
  const { definition, names, primary } = dependencies;
  const client = dependencies.client.with({ fieldManager: names.manager, signal: call.signal });
  const found = primary.get(key) as KubeObject | undefined;
  if (!found) return nothing;
  if (found.metadata.deletionTimestamp !== undefined)
    return finalizeObject(dependencies, found, client, call);
  const object =
    definition.finalize && !hasFinalizer(found, names.finalizer)
      ? await addFinalizer(client, definition.kind, found, names.finalizer)
      : found;
  const run = createRun(dependencies, object, client, call);
  const outcome = await speak(dependencies, run, client, (context) =>
    definition.reconcile(context),
  );
  return { outcome, writes: run.writes };
}

/** The finalizer stays while finalize throws or waits; it goes when finalize has returned. */
async function finalizeObject(
  dependencies: ReconcileDependencies,
  object: KubeObject,
  client: Client,
  call: Call,
): Promise<Reconciled> {
  const { definition, names } = dependencies;
  const { finalize } = definition;
  if (!finalize || !hasFinalizer(object, names.finalizer)) return nothing;
  const run = createRun(dependencies, object, client, call);
  const outcome = await speak(dependencies, run, client, (context) => finalize(context));
  if (!outcome) await removeFinalizer(client, definition.kind, object, names.finalizer);
  return { outcome, writes: run.writes };
}

/**
 * Lets the user's code run, then writes what it said. An error of the user's code counts more than
 * one of that write.
 */
async function speak(
  dependencies: ReconcileDependencies,
  run: Run,
  client: Client,
  work: (context: Run["context"]) => Result,
): Promise<Outcome | undefined> {
  let outcome: Outcome | void;
  try {
    outcome = await work(run.context);
    await run.settleOpen();
  } catch (error) {
    await writeStatus(dependencies, run, client).catch((second: unknown) =>
      dependencies.log.debug("what was said before the error could not be written", {
        error: second,
      }),
    );
    throw error;
  }
  await writeStatus(dependencies, run, client);
  return checkOutcome(outcome, dependencies.definition.name);
}

/**
 * A reconcile that returns something of another framework's shape would otherwise be taken as done.
 */
function checkOutcome(outcome: Outcome | void, controller: string): Outcome | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  if (typeof outcome === "object" && "~outcome" in outcome) return outcome;
  throw new HomeostatError(
    "ERR_RECONCILE_RESULT",
    `reconcile of "${controller}" returned ${JSON.stringify(outcome)}; expected nothing, wait.for(…) or retry.in(…)`,
    {
      hint: "return wait.for(…), wait.forRef(…), retry.in(…), or nothing",
    },
  );
}
