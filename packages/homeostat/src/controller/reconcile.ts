// One reconcile of one object: reads it, sees to its finalizer, hands the user a context, and writes what was said as one
// complete apply. Knows no queue and no informer beyond reading from them.
import { equalJson, isObject, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { formatObjectKey } from "../api/gvk.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { createControllerClient } from "./controller-client.ts";
import type { Context, ControllerDefinition, ReconcileLog } from "./define-controller.ts";
import { addFinalizer, hasFinalizer, removeFinalizer } from "./finalizer.ts";
import type { ControllerNames } from "./names.ts";
import { createWait, type Outcome, parseDuration, retry } from "./outcome.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";
import { createOwn } from "./owned-set.ts";
import { readable } from "./readable.ts";
import { resolveRefs, type TargetInformer } from "./resolve-refs.ts";
import { createSaid, nextStatus, type Said, sayStatus } from "./status-intent.ts";
import { withDeadline } from "./deadline.ts";

/** What every reconcile of a controller works with. */
export interface ReconcileDependencies {
  readonly definition: ControllerDefinition;
  readonly names: ControllerNames;
  readonly runtime: Runtime;
  readonly client: Client;
  readonly log: ReconcileLog;
  readonly primary: Informer;
  informer(kind: Kind): Informer | undefined;
  /** Told which step of the user's work is under way. */
  stepping(key: string, step: string | undefined): void;
}

/** What a reconcile came to. */
export interface Reconciled {
  /** Why it is not done; undefined when it is. */
  readonly outcome: Outcome | undefined;
  readonly write: StatusWrite;
}

/** What was written to status. */
export interface StatusWrite {
  /** Fields that changed; empty when nothing was written. */
  readonly wrote: readonly string[];
  /** The resourceVersion that the write made. */
  readonly revision?: string;
}

const unwritten: StatusWrite = { wrote: [] };
const nothing: Reconciled = { outcome: undefined, write: unwritten };

/** Reconciles the object under `key`. Rejects with what went wrong. */
export async function reconcileObject(dependencies: ReconcileDependencies, key: ObjectKey, signal: AbortSignal): Promise<Reconciled> {
  const { definition, names, primary } = dependencies;
  const client = dependencies.client.with({ fieldManager: names.manager, signal });
  const found = primary.get(key) as KubeObject | undefined;
  if (!found) return nothing;
  if (found.metadata.deletionTimestamp !== undefined) return finalizeObject(dependencies, found, client, signal);
  const object = definition.finalize && !hasFinalizer(found, names.finalizer) ? await addFinalizer(client, definition.kind, found, names.finalizer) : found;
  const run = createRun(dependencies, object, client, signal);
  const outcome = await definition.reconcile(run.context);
  const write = await writeStatus(dependencies, object, run.said, client);
  return { outcome: checkOutcome(outcome, definition.name), write };
}

/** The finalizer stays while finalize throws or waits; it goes when finalize has returned. */
async function finalizeObject(dependencies: ReconcileDependencies, object: KubeObject, client: Client, signal: AbortSignal): Promise<Reconciled> {
  const { definition, names } = dependencies;
  if (!definition.finalize || !hasFinalizer(object, names.finalizer)) return nothing;
  const run = createRun(dependencies, object, client, signal);
  const outcome = checkOutcome(await definition.finalize(run.context), definition.name);
  if (outcome) return { outcome, write: await writeStatus(dependencies, object, run.said, client) };
  await removeFinalizer(client, definition.kind, object, names.finalizer);
  return nothing;
}

function createRun(dependencies: ReconcileDependencies, object: KubeObject, client: Client, signal: AbortSignal): { readonly context: Context<any, any, any>; readonly said: Said } {
  const { definition, names } = dependencies;
  const said = createSaid();
  const key = formatObjectKey(object.metadata);
  const context = {
    object: readable(definition.kind, object),
    refs: resolveRefs(definition.refs, object, (kind) => dependencies.informer(kind) as TargetInformer | undefined),
    own: createOwn({ owner: object, ownerKind: definition.kind, manager: names.manager, client, informer: (kind) => dependencies.informer(kind) }),
    status: (fields: Readonly<Record<string, unknown>>) => sayStatus(said, fields),
    condition: (type: string, status: "True" | "False" | "Unknown", reason: string, message = "") => void said.conditions.set(type, { type, status, reason, message }),
    wait: createWait((name) => describeRef(definition, object, name)),
    retry,
    step: <T>(name: string, work: (stepSignal: AbortSignal) => Promise<T>, options: { readonly timeout?: string | number } = {}) => runStep(dependencies, key, name, work, signal, options.timeout),
    client: createControllerClient(client.with(object.metadata.namespace === undefined ? {} : { namespace: object.metadata.namespace })),
    log: bindLog(dependencies.log, { controller: definition.name, object: `${definition.kind.kind} ${key}` }),
    signal,
  };
  return { context: context as unknown as Context<any, any, any>, said };
}

/** One apply of everything that this controller says about status; none when nothing changed. */
async function writeStatus({ definition, names, runtime, primary }: ReconcileDependencies, object: KubeObject, said: Said, client: Client): Promise<StatusWrite> {
  const { name, namespace, uid, generation } = object.metadata;
  const live = ((primary.get({ name, namespace }) as KubeObject | undefined) ?? object) as KubeObject & { readonly status?: JsonObject };
  const fields = appliedFields(live, names.manager, "status");
  const prior = fields ? extractFields({ status: live.status ?? {} }, fields) : {};
  const priorStatus = isObject(prior) && isObject(prior["status"]) ? prior["status"] : {};
  const status = nextStatus(said, { prior: priorStatus, generation, now: formatSeconds(runtime.clock.now()), tracksGeneration: tracksGeneration(definition.kind) });
  if (!status || (fields && equalJson(status, priorStatus))) return unwritten;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid };
  const written = (await client.apply(definition.kind, { apiVersion: definition.kind.apiVersion, kind: definition.kind.kind, metadata, status }, { subresource: "status", force: true })) as KubeObject;
  return { wrote: Object.keys({ ...status, ...priorStatus }).filter((field) => !equalJson(status[field], priorStatus[field])), revision: written.metadata.resourceVersion };
}

/** Resources of ours always have `status.observedGeneration`; of foreign kinds we do not know. */
function tracksGeneration(kind: Kind): boolean {
  return (kind as { readonly definition?: ResourceDefinition }).definition !== undefined;
}

/** RFC 3339 with second precision, as metav1.Time is written. */
function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

async function runStep<T>(dependencies: ReconcileDependencies, key: string, name: string, work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, timeout: string | number | undefined): Promise<T> {
  dependencies.stepping(key, name);
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout);
  const finish = await withDeadline(dependencies.runtime.clock, timeoutMs, signal, work);
  dependencies.stepping(key, undefined);
  if (finish.at === "settled") return finish.value;
  const problem = finish.at === "abandoned" ? `took longer than ${timeout}` : `failed: ${finish.error instanceof Error ? finish.error.message : String(finish.error)}`;
  throw new HomeostatError("ERR_STEP", `step "${name}" of ${dependencies.definition.kind.kind} ${key} ${problem}`, { hint: "see the cause; the reconcile is tried again", cause: finish.at === "failed" ? finish.error : undefined });
}

function describeRef(definition: ControllerDefinition, object: KubeObject, name: string): string {
  const declared = definition.refs[name];
  if (!declared) return name;
  const targets = [declared.select(object)].flat().filter((target) => target !== undefined);
  const words = targets.map((target) => (typeof target === "string" ? target : `${target.namespace}/${target.name}`));
  return `${declared.target.kind} ${words.length ? words.map((word) => `"${word}"`).join(", ") : `(${name}: none named)`}`;
}

/** A reconcile that returns something of another framework's shape would otherwise be taken as done. */
function checkOutcome(outcome: Outcome | void, controller: string): Outcome | undefined {
  if (outcome === undefined || outcome === null) return undefined;
  if (typeof outcome === "object" && "~outcome" in outcome) return outcome;
  throw new HomeostatError("ERR_RECONCILE_RESULT", `reconcile of "${controller}" returned ${JSON.stringify(outcome)}; expected nothing, wait.for(…) or retry.in(…)`, { hint: "return wait.for(…), wait.forRef(…), retry.in(…), or nothing" });
}

function bindLog(log: ReconcileLog, bound: Readonly<Record<string, unknown>>): ReconcileLog {
  return {
    debug: (message, fields) => log.debug(message, { ...bound, ...fields }),
    info: (message, fields) => log.info(message, { ...bound, ...fields }),
    warn: (message, fields) => log.warn(message, { ...bound, ...fields }),
    error: (message, fields) => log.error(message, { ...bound, ...fields }),
  };
}
