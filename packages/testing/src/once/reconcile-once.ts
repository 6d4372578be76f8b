// One reconcile without a server, for unit tests: what it may read is given, what it wrote is
// returned as data. The controller runs in a real manager with the real client; only the server and
// the clock are stand-ins, so that the same input gives the same output.
import {
  type Controller,
  createManager,
  HomeostatError,
  type Kind,
  type ManifestOf,
  type ObjectOf,
  type ObjectState,
  type Progress,
  silentLog,
  type StatusOf,
} from "homeostat";
import type { JsonObject } from "homeostat/api";
import { createClient } from "homeostat/client";
import { createVirtualRuntime, type VirtualRuntime } from "homeostat/runtime";
import { refuseBreaches } from "../cluster/refuse-breaches.ts";
import { pauseFor, realNow } from "../traffic/real-time.ts";
import { appliedEntry } from "./applied-entry.ts";
import { GivenServer, type OnceWrite, uidOf } from "./given-server.ts";

/** An object as it stands before a reconcile: a manifest, and what a server adds. */
export type Given<K extends Kind> =
  | ObjectOf<K>
  | (ManifestOf<K> & { readonly status?: Partial<StatusOf<K>> });

/** What a reconcile is given. */
export interface ReconcileOnceOptions<K extends Kind> {
  readonly object: Given<K>;
  /** What it may read beside, e.g. `[[Chef, Chef("anna", {})]]`. Default: nothing. */
  readonly reads?: readonly (readonly [Kind, object])[];
  /** What `own` of this object has made before, as `reads`. Default: nothing. */
  readonly owned?: readonly (readonly [Kind, object])[];
  /** The object is being deleted: `finalize` runs. */
  readonly deleting?: boolean;
  /** The operator's name. Default `test`. */
  readonly operator?: string;
}

/** What a reconcile did. */
export interface ReconciledOnce<K extends Kind = Kind> {
  /** Whether it is done, waits, is retried or stalled, and why. */
  readonly progress: Progress;
  /** Milliseconds until it is retried. */
  readonly retryAfterMs: number | undefined;
  /** What it threw. */
  readonly error: unknown;
  /** What `own` applied, in order. */
  readonly own: readonly JsonObject[];
  /**
   * What it set of the status, without conditions and observedGeneration; undefined for nothing.
   */
  readonly status: Partial<StatusOf<K>> | undefined;
  readonly conditions: readonly JsonObject[];
  readonly events: readonly JsonObject[];
  /** Deleted objects, as `resource/name`. */
  readonly deleted: readonly string[];
  /** The finalizers of the object, where they were changed. */
  readonly finalizers: readonly string[] | undefined;
  /** Every write, in order. */
  readonly writes: readonly OnceWrite[];
}

/**
 * Reconciles an object once. @throws ERR_TEST_BREACH for what the controller depends on without
 * declaring it, ERR_TEST_ONCE when the reconcile does not end within 5 s
 */
export async function reconcileOnce<K extends Kind>(
  controller: Controller<K>,
  options: ReconcileOnceOptions<K>,
): Promise<ReconciledOnce<K>> {
  const { operator = "test" } = options;
  const { kind } = controller as unknown as { readonly kind: Kind };
  const server = new GivenServer();
  server.give(kind, objectOf(controller, options));
  for (const [each, object] of options.reads ?? []) server.give(each, object as JsonObject);
  for (const [each, object] of options.owned ?? [])
    server.give(each, ownedBy(controller, options, object as JsonObject));
  const runtime = createVirtualRuntime();
  let last: ObjectState | undefined;
  const transport = server.transport();
  const manager = createManager({
    operator,
    controllers: [controller],
    client: createClient({ transport, runtime, fieldManager: operator, userAgent: operator }),
    runtime,
    log: silentLog,
    reports: { metadata: true, events: false, conditions: false },
    shutdownTimeoutMs: 0,
    changed(state) {
      // Its own writes may wake it again.
      if (state.progress.at === "running") manager.pause(kind, state.key);
      if (last === undefined || last.progress.at === "running") last = state;
    },
  });
  await within(runtime, manager.start());
  await untilEnded(runtime, () => last !== undefined && (isOver(last) || manager.isIdle()));
  await within(runtime, manager.stop({ timeoutMs: 0 }));
  refuseBreaches(() => manager.breaches())(`reconciling ${kind.kind} once`);
  return toResult(kind, progressOf(last!), { server, nowMs: runtime.clock.now() });
}

function objectOf<K extends Kind>(
  controller: Controller<K>,
  { object, deleting, operator = "test" }: ReconcileOnceOptions<K>,
): JsonObject {
  const given = object as JsonObject & { readonly metadata: JsonObject };
  if (deleting !== true) return given;
  const [group] = String(given["apiVersion"]).split("/", 1);
  const { finalizers = [`${group}/${operator}.${controller.name}`] } = given.metadata;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  return { ...given, metadata: { ...given.metadata, finalizers, deletionTimestamp } };
}

/** As `own` leaves what it has applied. */
function ownedBy<K extends Kind>(
  { name }: Controller<K>,
  { object, operator = "test" }: ReconcileOnceOptions<K>,
  child: JsonObject,
): JsonObject {
  const owner = object as JsonObject & { readonly metadata: { readonly name: string } };
  const { apiVersion, kind } = owner;
  const uid = uidOf(String(kind), owner.metadata);
  const { name: ownerName } = owner.metadata;
  const ownerReferences = [
    { apiVersion, kind, name: ownerName, uid, controller: true, blockOwnerDeletion: true },
  ];
  const applied = { ...child, metadata: { ...(child["metadata"] as JsonObject), ownerReferences } };
  const entry = appliedEntry(`${operator}/${name}`, applied as JsonObject, undefined);
  return { ...applied, metadata: { ...applied.metadata, managedFields: [entry] } } as JsonObject;
}

const patienceMs = 5_000;
/** Turns without waiting. */
const turnsFirst = 50;

const isOver = ({ progress }: ObjectState): boolean => progress.at !== "running";

/** Of an object that is gone at the end, nothing is left to do. */
const progressOf = (last: ObjectState): Progress => (isOver(last) ? last.progress : { at: "done" });

/** Without real waiting, where the reconcile needs none. */
async function untilEnded(runtime: VirtualRuntime, hasEnded: () => boolean): Promise<void> {
  const end = realNow() + patienceMs;
  for (let turns = 0; !hasEnded(); turns++) {
    await runtime.advance(0);
    if (turns > turnsFirst) await pauseFor(1);
    if (realNow() > end) throw notEnded();
  }
}

async function within(runtime: VirtualRuntime, work: Promise<unknown>): Promise<void> {
  let hasEnded = false;
  const end = (): void => void (hasEnded = true);
  work.then(end, end);
  await untilEnded(runtime, () => hasEnded);
  await work;
}

const notEnded = (): HomeostatError =>
  new HomeostatError(
    "ERR_TEST_ONCE",
    `reconciling once: the reconcile did not end within ${patienceMs / 1000} s`,
    { hint: "it waits for something that no test gives; pass what it calls as a parameter" },
  );

function toResult<K extends Kind>(
  { apiVersion, resource }: Kind,
  progress: Progress,
  { server: { writes }, nowMs }: { readonly server: GivenServer; readonly nowMs: number },
): ReconciledOnce<K> {
  const isSelf = (write: OnceWrite): boolean =>
    write.apiVersion === apiVersion && write.resource === resource;
  const isEvent = (write: OnceWrite): boolean => write.resource === "events";
  const status = writes.findLast((write) => isSelf(write) && write.subresource === "status");
  const {
    conditions = [],
    observedGeneration: _,
    ...fields
  } = (status?.body?.["status"] ?? {}) as JsonObject;
  const finalizers = writes
    .filter((write) => isSelf(write) && write.subresource === undefined)
    .flatMap(({ body }) => (body?.["metadata"] as JsonObject | undefined)?.["finalizers"] ?? [])
    .map(String);
  return {
    progress,
    retryAfterMs: progress.at === "retrying" ? progress.nextAt - nowMs : undefined,
    error: "error" in progress ? progress.error : undefined,
    own: writes.flatMap((write) =>
      write.verb === "patch" && !isSelf(write) && !isEvent(write) && write.body ? [write.body] : [],
    ),
    status: Object.keys(fields).length > 0 ? (fields as Partial<StatusOf<K>>) : undefined,
    conditions: conditions as readonly JsonObject[],
    events: writes.flatMap((write) => (isEvent(write) && write.body ? [write.body] : [])),
    deleted: writes.flatMap(({ verb, resource: plural, name }) =>
      verb === "delete" ? [`${plural}/${name}`] : [],
    ),
    finalizers: finalizers.length > 0 || removed(writes, isSelf) ? finalizers : undefined,
    writes,
  };
}

const removed = (writes: readonly OnceWrite[], isSelf: (write: OnceWrite) => boolean): boolean =>
  writes.some(
    (write) =>
      isSelf(write) &&
      write.subresource === undefined &&
      "finalizers" in ((write.body?.["metadata"] ?? {}) as JsonObject),
  );
