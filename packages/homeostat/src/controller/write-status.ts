// Writes an object's status: one complete apply with the uid, so that it cannot resurrect the
// object; no request when nothing changed.
//
// The uid does not keep it off a successor of a custom resource: a server does not compare it there
// (statusStrategy.PrepareForUpdate in
// k8s.io/apiextensions-apiserver/pkg/registry/customresource/status_strategy.go takes all metadata
// from the live object). A resourceVersion would, but then every write that any client made since
// the cached revision would refuse the status, and cost a read and a second apply. The answer shows
// a successor for nothing; its status is then given up again at once.
import { isObject, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject, ObjectKey } from "../api/object-meta.ts";
import { definitionOfKind } from "../api/resource/definition-of-kind.ts";
import { ApiStatusError, isConflict, isNotFound } from "../api/status.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client, CompletedWrite } from "../client/client.ts";
import { writtenMetadata } from "../client/completed-write.ts";
import { appliedFields, extractFields } from "./own/owned-fields.ts";
import { isReplaced } from "./is-replaced.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import type { RunScope } from "./run/run-scope.ts";
import { nextStatus, type StatusIntent } from "./status-intent.ts";
import { setProgress } from "./voice/progress-conditions.ts";
import type { Verdict } from "./voice/verdict.ts";

/**
 * Writes the status that a run has set, and the conditions of its verdict, if it has one. Resolves
 * to the write, undefined when there is nothing to write.
 */
export async function writeStatus(
  dependencies: ReconcileDependencies,
  run: StatusRun,
  client: Pick<Client, "applyUnread" | "find">,
  verdict?: Verdict,
): Promise<CompletedWrite | undefined> {
  const { fields, conditions } = run.intent;
  if (!verdict && fields.size === 0 && conditions.size === 0) return undefined;
  return dependencies.statusTurns.take(run.object.metadata.uid, async () => {
    const status = statusOf(dependencies, run, verdict);
    if (!status) return undefined;
    const { name, namespace, uid } = run.object.metadata;
    const metadata = { name, ...(namespace === undefined ? {} : { namespace }), uid };
    return applyStatus(client, dependencies.definition.kind, { metadata, status }, run.scope);
  });
}

/** The complete status to apply; undefined when there is nothing to write. */
function statusOf(
  { definition: { kind }, names, runtime, primary, keepsConditions }: ReconcileDependencies,
  { object, intent }: StatusRun,
  verdict: Verdict | undefined,
): JsonObject | undefined {
  const live = liveObject(primary, object);
  if (!live) return undefined;
  const prior = priorStatus(live, names.manager);
  if (verdict && keepsConditions)
    setProgress(intent, verdict, kind, { live: live.status ?? {}, prior });
  const definition = definitionOfKind(kind);
  return nextStatus(intent, {
    prior,
    generation: object.metadata.generation,
    observedGeneration: numberOf(live.status?.["observedGeneration"]),
    now: formatSeconds(runtime.clock.now()),
    // Of other kinds it is not known whether they have `status.observedGeneration`.
    tracksGeneration: definition !== undefined,
    schema: definition?.status,
  });
}

/** The parts of a run that the write of its status needs. */
export interface StatusRun {
  readonly object: KubeObject;
  readonly intent: StatusIntent;
  readonly scope: Pick<RunScope, "markOvertaken">;
}

type WithStatus = KubeObject & { readonly status?: JsonObject };
type ExactKey = ObjectKey & { readonly uid: string };

/**
 * The cached object; undefined when it is gone or another one has its name.
 */
function liveObject(primary: Informer, { metadata }: KubeObject): WithStatus | undefined {
  const { name, namespace, uid } = metadata;
  const cached = primary.unchecked.get({ name, namespace }) as WithStatus | undefined;
  return cached?.metadata.uid === uid ? cached : undefined;
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;

async function applyStatus(
  client: Pick<Client, "applyUnread" | "find">,
  kind: Kind,
  { metadata, status }: { readonly metadata: ExactKey; readonly status: JsonObject },
  scope: StatusRun["scope"],
): Promise<CompletedWrite | undefined> {
  const { apiVersion } = kind;
  try {
    const written = await client.applyUnread(
      kind,
      { apiVersion, kind: kind.kind, metadata, status },
      { subresource: "status", force: true },
    );
    const uid = written && writtenMetadata(written)?.["uid"];
    if (typeof uid !== "string" || uid === metadata.uid) return written;
    await giveUpStatus(client, kind, { ...metadata, uid });
    throw replaced(kind, metadata);
  } catch (error) {
    if (isConflict(error)) scope.markOvertaken(error);
    else if (isNotFound(error) && (await isReplaced(client, kind, metadata)))
      scope.markOvertaken(error);
    throw error;
  }
}

/** Removes what this manager has applied to the status of an object. */
async function giveUpStatus(
  client: Pick<Client, "applyUnread">,
  kind: Kind,
  metadata: ExactKey,
): Promise<void> {
  const nothing = { apiVersion: kind.apiVersion, kind: kind.kind, metadata };
  await client.applyUnread(kind, nothing, { subresource: "status", force: true });
}

/** As of a server that compares the uid. */
function replaced(kind: Kind, { name, uid }: ExactKey): ApiStatusError {
  return new ApiStatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    code: 409,
    reason: "Conflict",
    message: `${kind.kind} "${name}" has been replaced: no object has uid ${uid} any more`,
  });
}

/** Status as this manager last applied it, read back from the object. */
function priorStatus(live: WithStatus, manager: string): JsonObject {
  const fields = appliedFields(live, manager, "status");
  const prior = fields ? extractFields({ status: live.status ?? {} }, fields) : {};
  return isObject(prior) && isObject(prior["status"]) ? prior["status"] : {};
}

/** RFC 3339 with second precision, as metav1.Time is written. */
function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
