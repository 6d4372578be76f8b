// own(): makes the owned objects of one kind what is desired. Applies what differs, deletes what is
// no longer desired, touches nothing that is somebody else's. Membership is read from the objects:
// controller owner reference plus an Apply entry of this set's field manager.
import { formatApiVersion, parseApiVersion } from "../api/gvk.ts";
import { equalJson, type Json, type JsonObject } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { isConflict, isNotFound } from "../api/status.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { OwnOptions } from "./define-controller.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";

/** Objects written at the same time by one call of own(). */
const parallelWrites = 8;
/**
 * A resourceVersion that no object of a user has: the first revision belongs to the server's own
 * start.
 */
const neverCurrent = "1";

/** What own() works with during one reconcile. */
export interface OwnedSetDependencies {
  readonly owner: KubeObject;
  readonly ownerKind: Kind;
  /** The controller's field manager; a named set appends its name. */
  readonly manager: string;
  /** Scoped to the reconcile's signal. */
  readonly client: Client;
  informer(kind: Kind): Informer | undefined;
  /** Told of every object that was written. */
  wrote(what: string, object: KubeObject): void;
}

/** Creates the `own` of one reconcile. Each kind and set may be owned once per reconcile. */
export function createOwn(
  dependencies: OwnedSetDependencies,
): (
  kind: Kind,
  desired: readonly KubeObject[],
  options?: OwnOptions,
) => Promise<readonly KubeObject[]> {
  const done = new Set<string>();
  return async (kind, desired, options = {}) => {
    const id = `${kind.apiVersion}/${kind.kind}/${options.set ?? ""}`;
    if (done.has(id))
      throw ownError(
        "ERR_OWN_TWICE",
        dependencies,
        kind,
        "own() was called twice for this kind in one reconcile; each call prunes what it does not name",
        "pass everything in one call, or name the sets with { set }",
      );
    done.add(id);
    const informer = dependencies.informer(kind);
    if (!informer)
      throw ownError(
        "ERR_UNDECLARED",
        dependencies,
        kind,
        "the kind is not declared",
        "list the kind in `owns`",
      );
    const set: OwnedSet = {
      ...dependencies,
      kind,
      informer,
      adopt: options.adopt === true,
      manager: options.set ? `${dependencies.manager}/${options.set}` : dependencies.manager,
    };
    const manifests = desired.map((manifest) => toIntent(set, manifest));
    refuseDuplicates(set, manifests);
    const objects = await inParallel(manifests, (intent) => applyOne(set, intent));
    await prune(set, new Set(manifests.map((one) => String(metadataOf(one)["name"]))));
    return objects;
  };
}

interface OwnedSet extends Omit<OwnedSetDependencies, "informer"> {
  readonly kind: Kind;
  readonly informer: Informer;
  readonly adopt: boolean;
}

/** The manifest with owner reference and namespace. */
function toIntent(set: OwnedSet, manifest: KubeObject): JsonObject {
  const { owner, ownerKind, kind } = set;
  const { name, namespace: asked } = manifest.metadata;
  const namespace = kind.scope === "Namespaced" ? (asked ?? owner.metadata.namespace) : undefined;
  if (kind.scope === "Namespaced" && namespace === undefined)
    throw ownError(
      "ERR_OWN_NAMESPACE",
      set,
      kind,
      `"${name}" has no namespace and its owner is cluster-wide`,
      "give metadata.namespace",
    );
  if (owner.metadata.namespace !== undefined && namespace !== owner.metadata.namespace)
    throw ownError(
      "ERR_OWN_NAMESPACE",
      set,
      kind,
      `"${name}" is in ${namespace ?? "no namespace"}, its owner in ${owner.metadata.namespace}; garbage collection does not cross namespaces`,
      "own objects of the same namespace only",
    );
  const reference = {
    apiVersion: ownerKind.apiVersion,
    kind: ownerKind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const given = (
    (manifest.metadata as unknown as { readonly ownerReferences?: readonly JsonObject[] })
      .ownerReferences ?? []
  ).filter((one) => one["uid"] !== reference.uid && one["controller"] !== true);
  const metadata = {
    ...(manifest.metadata as unknown as JsonObject),
    ...(namespace === undefined ? {} : { namespace }),
    ownerReferences: [reference, ...given],
  };
  return {
    ...(manifest as unknown as JsonObject),
    apiVersion: kind.apiVersion,
    kind: kind.kind,
    metadata,
  };
}

function refuseDuplicates(set: OwnedSet, intents: readonly JsonObject[]): void {
  const names = intents.map((one) => String(metadataOf(one)["name"]));
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw ownError(
      "ERR_OWN_DUPLICATE",
      set,
      set.kind,
      `"${twice}" is desired twice`,
      "give every desired object a name of its own",
    );
}

async function applyOne(set: OwnedSet, intent: JsonObject): Promise<KubeObject> {
  const key = {
    name: String(metadataOf(intent)["name"]),
    namespace: metadataOf(intent)["namespace"] as string | undefined,
  };
  const known = (set.informer.get(key) as KubeObject | undefined) ?? (await createOne(set, intent));
  return updateOne(set, known, intent);
}

/**
 * Creates an object of which the cache knows nothing, or finds out who was faster. An apply that
 * carries a resourceVersion creates what is not there, and is a conflict with whatever is: nobody
 * else's object is touched.
 */
async function createOne(set: OwnedSet, intent: JsonObject): Promise<KubeObject> {
  const createOnly = {
    ...intent,
    metadata: { ...metadataOf(intent), resourceVersion: neverCurrent },
  };
  try {
    const created = (await set.client.apply(set.kind, createOnly, {
      force: true,
      fieldManager: set.manager,
    })) as KubeObject;
    set.wrote(`${set.kind.kind} ${created.metadata.name}`, created);
    return created;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { name, namespace } = metadataOf(intent) as {
      readonly name: string;
      readonly namespace?: string;
    };
    const found = (await set.client.find(
      set.kind,
      namespace === undefined ? name : { name, namespace },
    )) as KubeObject | undefined;
    if (!found) throw error;
    return found;
  }
}

async function updateOne(
  set: OwnedSet,
  known: KubeObject,
  intent: JsonObject,
): Promise<KubeObject> {
  refuseForeign(set, known);
  if (known.metadata.deletionTimestamp !== undefined || isApplied(set, known, intent)) return known;
  const exact = { ...intent, metadata: { ...metadataOf(intent), uid: known.metadata.uid } };
  const applied = (await set.client.apply(set.kind, exact, {
    force: true,
    fieldManager: set.manager,
  })) as KubeObject;
  if (applied.metadata.resourceVersion !== known.metadata.resourceVersion)
    set.wrote(`${set.kind.kind} ${applied.metadata.name}`, applied);
  return applied;
}

/**
 * Somebody else's object of that name is an error, never overwritten. One that carries our own
 * apply entry and no controller has lost its reference, and gets it back.
 */
function refuseForeign(set: OwnedSet, known: KubeObject): void {
  const controller = known.metadata.ownerReferences?.find((reference) => reference.controller);
  if (
    controller?.uid === set.owner.metadata.uid ||
    (!controller && (set.adopt || appliedFields(known, set.manager, "") !== undefined))
  )
    return;
  const whose = controller
    ? `belongs to ${controller.kind} "${controller.name}"`
    : "belongs to nobody";
  throw ownError(
    "ERR_OWN_FOREIGN",
    set,
    set.kind,
    `"${known.metadata.name}" exists and ${whose}`,
    controller ? "use another name" : "use another name, or pass { adopt: true } to take it over",
  );
}

/**
 * True when the live object holds exactly what this manager would apply, under exactly these
 * fields.
 */
function isApplied(set: OwnedSet, known: KubeObject, intent: JsonObject): boolean {
  const fields = appliedFields(known, set.manager, "");
  if (!fields) return false;
  const applied = extractFields(known as unknown as JsonObject, fields) as JsonObject;
  return equalJson(comparable(applied), comparable(intent));
}

/** An intent without what identifies the object rather than describes it. */
function comparable(intent: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = intent;
  const { name: _n, namespace: _ns, uid: _u, ...described } = (metadata ?? {}) as JsonObject;
  return (withoutEmpty({ ...rest, metadata: described }) ?? {}) as JsonObject;
}

/**
 * Without nulls and empty objects and lists: a server drops them, and ownership of nothing is worth
 * no write.
 */
function withoutEmpty(value: Json | undefined): Json | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) return value.length ? value : undefined;
  if (typeof value !== "object") return value;
  const kept = Object.entries(value).flatMap(([key, child]) => {
    const rest = withoutEmpty(child);
    return rest === undefined ? [] : [[key, rest] as const];
  });
  return kept.length ? Object.fromEntries(kept) : undefined;
}

/** Deletes members of this set that are no longer desired. */
async function prune(set: OwnedSet, desired: ReadonlySet<string>): Promise<void> {
  const members = (
    set.informer.byIndex("owner", set.owner.metadata.uid) as readonly KubeObject[]
  ).filter(
    (object) =>
      !desired.has(object.metadata.name) &&
      object.metadata.deletionTimestamp === undefined &&
      isMember(set, object),
  );
  await inParallel(members, async ({ metadata: { name, namespace, uid } }) => {
    const key = namespace === undefined ? name : { name, namespace };
    await set.client
      .delete(set.kind, key, { preconditions: { uid }, propagationPolicy: "Background" })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  });
}

function isMember(set: OwnedSet, object: KubeObject): boolean {
  const controlled = object.metadata.ownerReferences?.some(
    (reference) => reference.controller && reference.uid === set.owner.metadata.uid,
  );
  return controlled === true && appliedFields(object, set.manager, "") !== undefined;
}

/**
 * True when an owner reference may name objects of `kind`, whatever version either was written in.
 */
export function refersToKind(
  reference: { readonly apiVersion: string; readonly kind: string },
  kind: Kind,
): boolean {
  return (
    reference.kind === kind.kind &&
    parseApiVersion(reference.apiVersion)?.group === parseApiVersion(kind.apiVersion)?.group
  );
}

function ownError(
  code: string,
  { owner, ownerKind }: Pick<OwnedSetDependencies, "owner" | "ownerKind">,
  kind: Kind,
  problem: string,
  hint: string,
): HomeostatError {
  const where = owner.metadata.namespace
    ? `${owner.metadata.namespace}/${owner.metadata.name}`
    : owner.metadata.name;
  return new HomeostatError(
    code,
    `${ownerKind.kind} ${where} owning ${kind.kind} (${formatApiVersion(parseApiVersion(kind.apiVersion)!)}): ${problem}`,
    { hint },
  );
}

const metadataOf = (intent: JsonObject): JsonObject => intent["metadata"] as JsonObject;

async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i]!);
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, items.length) }, lane));
  return results;
}
