// Reconciles one object: reads it, manages its finalizer, calls the user's code with a context, and
// writes the status as one complete apply, whether the user's code returned or threw. Knows no
// queue, and only reads from informers.
import { formatObjectKey } from "../api/gvk.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import { isApiStatusError } from "../api/status.ts";
import type { Mismatch } from "../api/resource/compile-structure.ts";
import { mismatchError } from "../cache/mismatch-error.ts";
import type { CompletedWrite } from "../client/client.ts";
import { describeError, describeValue } from "../util/describe-error.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import { addFinalizer, hasFinalizer, ourFinalizers, removeFinalizer } from "./finalizer.ts";
import { createWait, type Outcome, restIn, type Result, retry } from "./outcome.ts";
import type { Uncollected } from "./own/collect.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { Run } from "./run.ts";
import { isConflictOf } from "./run/conflicts.ts";
import { RunClient } from "./run/run-client.ts";
import type { RunScope } from "./run/run-scope.ts";
import { followSignals } from "./signals/unlisted-signals.ts";
import { createStatusIntent } from "./status-intent.ts";
import { type Verdict, verdictOfError, verdictOfOutcome } from "./voice/verdict.ts";
import { writeStatus } from "./write-status.ts";

/** The result of a reconcile. */
export interface Reconciled {
  /** Why it is not done; undefined when it is done. */
  readonly outcome: Outcome | undefined;
}

/** Interval of looking for children that no informer shows. */
const lookUpEveryMs = 5000;

const wait = createWait((name) => name);
const nothing: Reconciled = { outcome: undefined };

/** Reconciles the object `key`. Rejects with the error of the user's code or of a request. */
export async function reconcileObject(
  dependencies: ReconcileDependencies,
  key: ObjectKey,
  scope: RunScope,
): Promise<Reconciled> {
  const { definition, names, primary } = dependencies;
  const caller = new RunClient(dependencies.client, names.manager, scope);
  const entry = primary.entry(formatObjectKey(key));
  const found = entry?.read() as KubeObject | undefined;
  if (!found) return nothing;
  if (found.metadata.deletionTimestamp !== undefined)
    return finalizeObject(dependencies, found, caller, scope);
  if (entry?.mismatch?.isInSpec)
    return refuseMismatched(dependencies, { object: found, scope, caller }, entry.mismatch);
  const shown = showing(dependencies, { object: found, scope, caller });
  const object =
    definition.finalize && !hasFinalizer(found, names)
      ? await shown(() => addFinalizer(finalizing(dependencies, caller), found))
      : found;
  if (!object) return nothing;
  const run = await shown(() => new Run(dependencies, object, caller, scope));
  const { outcome } = await runAndWriteStatus(dependencies, run, (context) =>
    definition.reconcile(context),
  );
  return { outcome };
}

/**
 * The user's code is not called with an object that its types exclude. A mismatch of the status
 * alone is no reason: only this controller can set it right.
 */
async function refuseMismatched(
  dependencies: ReconcileDependencies,
  run: Omit<FailedRun, "intent">,
  mismatch: Mismatch,
): Promise<never> {
  const { object, scope } = run;
  const { kind } = dependencies.definition;
  scope.record.starts(kind, object);
  const error = mismatchError(`${kind.kind} ${formatObjectKey(object.metadata)}`, mismatch);
  await writeFailure(dependencies, withoutIntent(run), error);
  throw error;
}

/**
 * Runs finalize, if there is one, collects the children that owner references do not reach, and
 * then removes the finalizer.
 */
async function finalizeObject(
  dependencies: ReconcileDependencies,
  object: KubeObject,
  caller: RunClient,
  scope: RunScope,
): Promise<Reconciled> {
  const { definition, names } = dependencies;
  const { finalize } = definition;
  if (ourFinalizers(object, names).length === 0) return nothing;
  const shown = showing(dependencies, { object, scope, caller });
  const run = await shown(() => new Run(dependencies, object, caller, scope));
  const { outcome, written } = await runAndWriteStatus(dependencies, run, async (context) =>
    finalize?.(context),
  );
  const remaining = run.owning?.remaining();
  if (remaining !== undefined) return { outcome: wait.for(`${remaining} to be gone`) };
  if (outcome) return { outcome };
  const uncollected = await shown(() => run.ownings().collect());
  if (uncollected) return { outcome: waitUntilCollected(uncollected) };
  await shown(() => removeFinalizer(finalizing(dependencies, caller), afterWrite(object, written)));
  return { outcome };
}

const finalizing = (dependencies: ReconcileDependencies, { client }: RunClient) => ({
  ...dependencies,
  client,
  kind: dependencies.definition.kind,
});

/** What no informer shows is looked up again. */
function waitUntilCollected({ what, isUnseen }: Uncollected): Outcome {
  const because = `${what} to be gone`;
  return isUnseen
    ? retry.in(lookUpEveryMs, { because: `waiting for ${because}` })
    : wait.for(because);
}

/** The object after the write of its status. */
const afterWrite = (object: KubeObject, written: CompletedWrite | undefined): KubeObject =>
  (written?.object as KubeObject | undefined) ?? object;

interface Returned {
  readonly outcome: Outcome | undefined;
  /** The write of its status, if there was one. */
  readonly written: CompletedWrite | undefined;
}

/**
 * Runs the user's code, then writes the status it set, with the conditions of its result. Its error
 * takes precedence over an error of that write.
 */
async function runAndWriteStatus(
  dependencies: ReconcileDependencies,
  run: Run,
  work: (context: Run["context"]) => Result,
): Promise<Returned> {
  const { scope } = run;
  scope.usedSignals = followSignals(dependencies, run.object);
  scope.phaseHost = {
    uid: run.object.metadata.uid!,
    calls: dependencies.phaseCalls,
    clock: dependencies.runtime.clock,
    saveStatus: () => writeStatus(dependencies, run, run.caller),
  };
  let outcome: Outcome | undefined;
  try {
    outcome = checkOutcome(await work(run.context), dependencies.definition.name);
    const notAwaited = scope.notAwaited();
    if (notAwaited) throw notAwaited;
    await run.owning?.finish();
    scope.end();
    if (!outcome) reportUnused(dependencies, run);
  } catch (thrown) {
    scope.end();
    const error = refuseThrownOutcome(thrown, dependencies.definition.name);
    if (!isHomeostatError(error, "ERR_OWN_REMAINING")) {
      await writeFailure(dependencies, run, error);
      throw error;
    }
  }
  const result = outcome ?? heldBy(run);
  const verdict = verdictOfRun(dependencies, run, result);
  const written = await writeStatus(dependencies, run, run.caller, verdict).catch(
    async (error: unknown) => {
      await writeFailure(dependencies, withoutIntent(run), error);
      throw error;
    },
  );
  return { outcome: result, written };
}

/** Undefined for a deletion that is complete: the object is about to go. */
function verdictOfRun(
  { loopOf, overdueOf }: ReconcileDependencies,
  { object, owning, scope }: Run,
  outcome: Outcome | undefined,
): Verdict | undefined {
  const loop = loopOf(formatObjectKey(object.metadata));
  if (loop !== undefined) return { is: "stalled", reason: "ReconcileLoop", message: loop };
  const overdue = overdueOf(formatObjectKey(object.metadata));
  if (overdue !== undefined) return { is: "stalled", reason: "SignalOverdue", message: overdue };
  const remaining = owning?.remaining();
  if (remaining !== undefined) return verdictOfOutcome(wait.for(`${remaining} to be gone`));
  const rest = outcome && restIn(outcome);
  if (rest && isConflictOf(scope, rest.failed, { isGone: false })) return undefined;
  if (!outcome && object.metadata.deletionTimestamp !== undefined) return undefined;
  return verdictOfOutcome(outcome);
}

/**
 * Shows on the object what fails beside the user's code: its references, selections and finalizer.
 */
function showing(dependencies: ReconcileDependencies, run: Omit<FailedRun, "intent">) {
  return async <T>(work: () => T | Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await writeFailure(dependencies, withoutIntent(run), error);
      throw error;
    }
  };
}

type FailedRun = Pick<Run, "object" | "scope" | "caller" | "intent">;

const withoutIntent = ({ object, scope, caller }: Omit<FailedRun, "intent">): FailedRun => ({
  object,
  scope,
  caller,
  intent: createStatusIntent(),
});

/**
 * Writes the status set before the error, with the conditions of the error; those alone when the
 * server refuses that status. Conflicts are ordinary, and leave the conditions as they are.
 */
async function writeFailure(
  dependencies: ReconcileDependencies,
  run: FailedRun,
  cause: unknown,
): Promise<void> {
  const { log, primary } = dependencies;
  const isGone = primary.entry(formatObjectKey(run.object.metadata)) === undefined;
  const verdict = isConflictOf(run.scope, cause, { isGone }) ? undefined : verdictOfError(cause);
  const failed = (error: unknown): void =>
    log.debug("the status set before the error could not be written", { error });
  await writeStatus(dependencies, run, run.caller, verdict).catch(async (error: unknown) => {
    failed(error);
    if (!verdict || !isApiStatusError(error)) return;
    await writeStatus(dependencies, withoutIntent(run), run.caller, verdict).catch(failed);
  });
}

/** A reconcile whose ordered sets are not all as desired is not done. */
function heldBy({ owning }: Run): Outcome | undefined {
  const waiting = owning?.waiting();
  return waiting === undefined ? undefined : wait.for(waiting);
}

function reportUnused(
  { breaches, thrownResults }: ReconcileDependencies,
  { scope, object }: Run,
): void {
  const key = formatObjectKey(object.metadata);
  for (const what of scope.results(thrownResults))
    breaches.add("ERR_RESULT_UNUSED", { id: `${what} of ${key}`, key }, () => ({
      object: scope.title,
      message: `${what} has no effect: it was made, and the reconcile returned nothing`,
      hint: what.startsWith("terminal") ? "throw it" : "return it",
    }));
}

/** A thrown result would be an unknown failure. */
function refuseThrownOutcome(thrown: unknown, controller: string): unknown {
  if (typeof thrown !== "object" || thrown === null || !Object.hasOwn(thrown, "~outcome"))
    return thrown;
  return new HomeostatError(
    "ERR_RECONCILE_RESULT",
    `reconcile of "${controller}" threw what wait.for(…) or retry.in(…) returned`,
    { hint: "return it" },
  );
}

/**
 * Refuses other values, such as another framework's result, which would otherwise count as done.
 */
function checkOutcome(outcome: Outcome | void, controller: string): Outcome | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  if (typeof outcome === "object" && "~outcome" in outcome) return outcome;
  const isError = (outcome as unknown) instanceof Error;
  const returned = isError ? `an error (${describeError(outcome)})` : describeValue(outcome);
  throw new HomeostatError(
    "ERR_RECONCILE_RESULT",
    `reconcile of "${controller}" returned ${returned}; expected nothing, wait.for(…) or retry.in(…)`,
    {
      hint: isError ? "throw it" : "return wait.for(…), wait.forRef(…), retry.in(…), or nothing",
    },
  );
}
