// The history of a part of an object, kept as ControllerRevisions: names, hashes, numbers and their
// order are those of the StatefulSet controller.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go,
// statefulset/stateful_set_control.go (getStatefulSetRevisions, truncateHistory).
import { argumentError } from "../../util/argument-error.ts";
import { checkArgument, checkOptions, type KnownOptions } from "../../util/call-options.ts";
import { isThenable } from "../../util/refuse-promise.ts";
import { isOptions } from "../../util/option-faults.ts";
import { assertKind } from "../../api/check-kind.ts";
import { compareBytewise } from "../../api/encode-json.ts";
import type { Json } from "../../api/json.ts";
import type { Kind, Metadata, ObjectOf } from "../../api/kind.ts";
import { isControlledBy, toControllerReference } from "../../api/owner-reference.ts";
import { encodeRevisionData, revisionHash, revisionName } from "../../api/revision-hash.ts";
import { isAlreadyExists } from "../../api/status.ts";
import { ControllerRevision } from "../../k8s/apps/v1/index.ts";
import type { ControllerClient } from "../controller-client.ts";
import { TerminalError } from "../outcome.ts";
import { retryOnConflict } from "../retry-on-conflict.ts";
import type { CachedReads } from "../watching/declared-reads.ts";

/** One state of the kept part. */
export interface Revision<T> {
  /** Grows with each change; a state that comes back gets a new number. */
  readonly number: number;
  /** `<owner>-<hash>`. */
  readonly name: string;
  readonly data: T;
}

/** The revisions of one object. */
export interface Revisions<T> {
  readonly current: Revision<T>;
  /** Oldest first; the last one is the current one. */
  readonly all: readonly Revision<T>[];
}

/** Options of {@link keepRevisions}. */
export interface KeepRevisionsOptions {
  /** Revisions kept beside the current one and those in use. Default 10. */
  readonly limit?: number;
  /** Names of revisions that are not deleted. */
  readonly inUse?: readonly string[];
  /** Labels of the revisions; they tell several histories of one object apart. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** The context of a controller whose `owns` lists ControllerRevision. */
export interface RevisionContext {
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: Metadata;
  };
  readonly client: ControllerClient;
  readonly cache: Pick<CachedReads<typeof ControllerRevision, {}>, "list">;
}

/** The label with the hash of a revision before any collision. */
const hashLabel = "controller.kubernetes.io/hash";
const defaultLimit = 10;

/**
 * Makes `data` the current revision: creates it, or gives the equal one the highest number, and
 * deletes the oldest revisions above the limit. `data` is any JSON value that the server takes: an
 * object.
 */
export async function keepRevisions<T>(
  context: RevisionContext,
  data: T,
  options: KeepRevisionsOptions = {},
): Promise<Revisions<T>> {
  if (!isOptions(context?.cache))
    throw argumentError("keepRevisions(…)", context, "the context of a reconcile");
  checkOptions("keepRevisions(…)", options, ofKeepRevisions);
  checkData(data);
  const { limit = defaultLimit, inUse = [], labels = {} } = options;
  const known = revisionsOf(context, labels);
  const current = await makeCurrent(context, known, { data: data as Json, labels });
  const others = known.filter(({ metadata }) => metadata.name !== current.metadata.name);
  const unused = others.filter(({ metadata }) => !inUse.includes(metadata.name));
  const spent = unused.slice(0, Math.max(0, unused.length - limit));
  for (const { metadata } of spent)
    await context.client.delete(ControllerRevision, metadata, { uid: metadata.uid });
  const kept = others.filter((one) => !spent.includes(one));
  const all = [...kept, current].map((one) => toRevision<T>(one));
  return { current: all.at(-1)!, all };
}

const ofKeepRevisions = {
  limit: "a number",
  inUse: "a list",
  labels: "an object",
} as const satisfies KnownOptions<KeepRevisionsOptions>;

function checkData(data: unknown): void {
  const isJson = !["undefined", "function", "symbol"].includes(typeof data) && !isThenable(data);
  if (!isJson || Number.isNaN(data))
    throw argumentError("keepRevisions(…)", data, "data that is JSON, such as the spec");
}

/** What {@link rollBack} needs to know. */
export interface RollBack<K extends Kind, T> {
  /** The kind of the reconciled object. */
  readonly kind: K;
  /** The number of the revision; 0 for the one before the current. */
  readonly to: number;
  /** Returns the object with the data of the revision in its place. Must be pure. */
  readonly restore: (object: ObjectOf<K>, data: T) => ObjectOf<K>;
}

/**
 * Puts an earlier revision back into the object, which makes it the current one at the next
 * reconcile. Rejects with a terminal error if there is no such revision.
 * Upstream: k8s.io/kubectl/pkg/polymorphichelpers/rollback.go (toRevision 0).
 */
export async function rollBack<K extends Kind, T>(
  context: Pick<RevisionContext, "object" | "client">,
  revisions: Revisions<T>,
  options: RollBack<K, T>,
): Promise<Revision<T>> {
  if (!Array.isArray(revisions?.all))
    throw argumentError("rollBack(…)", revisions, "what keepRevisions resolves to");
  if (!isOptions(options)) throw argumentError("rollBack(…)", options, "{ kind, to, restore }");
  if (!isOptions(context?.object))
    throw argumentError("rollBack(…)", context, "the context of a reconcile");
  assertKind(options.kind, "rollBack(…)");
  checkArgument("rollBack(…)", ["to", options.to], "a number");
  checkArgument("rollBack(…)", ["restore", options.restore], "a function");
  const { current, all } = revisions;
  const { kind, to, restore } = options;
  const target = to === 0 ? all.at(-2) : all.find(({ number }) => number === to);
  if (!target)
    throw new TerminalError(
      `there is no revision ${to === 0 ? `before ${current.number}` : to}; it has ${all.map(({ number }) => number).join(", ")}`,
    );
  const { metadata, kind: name } = context.object;
  await context.client.upsert(kind, metadata, (object) => {
    if (!object) throw new TerminalError(`${name} ${metadata.name} is gone`);
    return restore(object, target.data);
  });
  return target;
}

type Stored = ObjectOf<typeof ControllerRevision>;

/** By number, then by age and name. */
function revisionsOf(
  { object, cache }: RevisionContext,
  labels: Readonly<Record<string, string>>,
): readonly Stored[] {
  const wanted = Object.entries(labels);
  return cache
    .list(ControllerRevision)
    .filter((one) => isControlledBy(one, object))
    .filter(({ metadata }) => wanted.every(([key, value]) => metadata.labels?.[key] === value))
    .toSorted(
      (a, b) =>
        a.revision - b.revision ||
        compareBytewise(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
        compareBytewise(a.metadata.name, b.metadata.name),
    );
}

interface Wanted {
  readonly data: Json;
  readonly labels: Readonly<Record<string, string>>;
}

async function makeCurrent(
  context: RevisionContext,
  known: readonly Stored[],
  wanted: Wanted,
): Promise<Stored> {
  const last = known.at(-1);
  const number = (last?.revision ?? 0) + 1;
  const equal = known.findLast((one) => isSame(one, wanted.data));
  if (!equal) return createOne(context, wanted, number);
  return equal === last ? equal : renumber(context, equal, number);
}

/** Creates a revision under a free name; an existing one with the same data is as good. */
async function createOne(
  { object, client }: RevisionContext,
  { data, labels }: Wanted,
  revision: number,
): Promise<Stored> {
  const { name: owner, namespace } = object.metadata;
  const metadata = {
    ...(namespace === undefined ? {} : { namespace }),
    labels: { ...labels, [hashLabel]: revisionHash(data, 0) },
    ownerReferences: [toControllerReference(object)],
  };
  for (let collisions = 0; ; collisions++) {
    const name = revisionName(owner, revisionHash(data, collisions));
    try {
      const manifest = { metadata: { ...metadata, name }, data, revision };
      return await client.create(ControllerRevision, manifest as never);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    const found = await client.get(ControllerRevision, name);
    if (found && isControlledBy(found, object) && isSame(found, data)) return found;
  }
}

function renumber({ client }: RevisionContext, one: Stored, revision: number): Promise<Stored> {
  return retryOnConflict(async (attempt) => {
    const live = attempt === 0 ? one : await client.get(ControllerRevision, one.metadata);
    return client.update(ControllerRevision, { ...(live ?? one), revision });
  });
}

const isSame = ({ data }: Stored, wanted: Json): boolean =>
  encodeRevisionData((data ?? null) as Json) === encodeRevisionData(wanted);

const toRevision = <T>({ metadata, revision, data }: Stored): Revision<T> => ({
  number: revision,
  name: metadata.name,
  data: data as T,
});
