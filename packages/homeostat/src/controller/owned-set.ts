// own(): brings the owned objects of one kind to their desired state. Applies differences, deletes
// members that are no longer desired, and never touches objects of other owners. An object is a
// member if it has the controller owner reference and an Apply entry of this set's field manager.
import { formatApiVersion, parseApiVersion } from "../api/gvk.ts";
import { equalJson, type Json, type JsonObject } from "../api/json.ts";
import type { Kind, Naming } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { isConflict, isNotFound } from "../api/status.ts";
import type { Informer } from "../cache/informer.ts";
import type { Client } from "../client/client.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { OwnOptions } from "./define-controller.ts";
import { appliedFields, extractFields } from "./owned-fields.ts";

/** Concurrent writes of one own() call. */
const parallelWrites = 8;
/** A resourceVersion that no user's object has: the server's first revision is its own. */
const neverCurrent = "1";

/** Dependencies of own() during one reconcile. */
export interface OwnedSetDependencies {
  readonly owner: KubeObject;
  readonly ownerKind: Kind;
  /** The controller's field manager; a named set appends its name. */
  readonly manager: string;
  /** Scoped to the reconcile's signal. */
  readonly client: Client;
  informer(kind: Kind): Informer | undefined;
  /** Called for every object written. */
  wrote(what: string, object: KubeObject): void;
}

/** Creates the `own` of one reconcile. It accepts each kind and set once. */
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
      throw ownError({ ...dependencies, kind }, "ERR_OWN_TWICE", {
        problem:
          "own() was called twice for this kind in one reconcile; each call deletes the objects that it does not list",
        hint: "pass all objects in one call, or name the sets with { set }",
      });
    done.add(id);
    const informer = dependencies.informer(kind);
    if (!informer)
      throw ownError({ ...dependencies, kind }, "ERR_UNDECLARED", {
        problem: "the kind is not declared",
        hint: "list the kind in `owns`",
      });
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
    await prune(set, new Set(manifests.map((one) => one.metadata.name)));
    return objects;
  };
}

interface OwnedSet extends Omit<OwnedSetDependencies, "informer"> {
  readonly kind: Kind;
  readonly informer: Informer;
  readonly adopt: boolean;
}

/** What is applied: the manifest with owner reference and namespace. */
interface Intent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Naming;
}

function toIntent(set: OwnedSet, manifest: KubeObject): Intent {
  const { owner, ownerKind, kind } = set;
  const { name, namespace: asked } = manifest.metadata;
  const namespace = kind.scope === "Namespaced" ? (asked ?? owner.metadata.namespace) : undefined;
  if (kind.scope === "Namespaced" && namespace === undefined)
    throw ownError(set, "ERR_OWN_NAMESPACE", {
      problem: `"${name}" has no namespace and its owner is cluster-scoped`,
      hint: "set metadata.namespace",
    });
  if (owner.metadata.namespace !== undefined && namespace !== owner.metadata.namespace)
    throw ownError(set, "ERR_OWN_NAMESPACE", {
      problem: `"${name}" is in ${namespace ?? "no namespace"}, its owner in ${owner.metadata.namespace}; garbage collection does not cross namespaces`,
      hint: "own objects in the same namespace only",
    });
  const reference = {
    apiVersion: ownerKind.apiVersion,
    kind: ownerKind.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const others = (manifest.metadata.ownerReferences ?? []).filter(
    (one) => one.uid !== reference.uid && one.controller !== true,
  );
  const metadata = {
    ...manifest.metadata,
    ...(namespace === undefined ? {} : { namespace }),
    ownerReferences: [reference, ...others],
  };
  return { ...manifest, apiVersion: kind.apiVersion, kind: kind.kind, metadata };
}

function refuseDuplicates(set: OwnedSet, intents: readonly Intent[]): void {
  const names = intents.map((one) => one.metadata.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw ownError(set, "ERR_OWN_DUPLICATE", {
      problem: `"${twice}" is listed twice`,
      hint: "give every object a unique name",
    });
}

async function applyOne(set: OwnedSet, intent: Intent): Promise<KubeObject> {
  const { name, namespace } = intent.metadata;
  const key = { name, namespace };
  const known = (set.informer.get(key) as KubeObject | undefined) ?? (await createOne(set, intent));
  return updateOne(set, known, intent);
}

/**
 * Creates an object that is not in the cache, or returns the one that exists. An apply with a
 * resourceVersion creates a missing object, but conflicts with an existing one, so that it never
 * changes another owner's object.
 */
async function createOne(set: OwnedSet, intent: Intent): Promise<KubeObject> {
  const createOnly = {
    ...intent,
    metadata: { ...intent.metadata, resourceVersion: neverCurrent },
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
    const { name, namespace } = intent.metadata;
    const found = (await set.client.find(
      set.kind,
      namespace === undefined ? name : { name, namespace },
    )) as KubeObject | undefined;
    if (!found) throw error;
    return found;
  }
}

async function updateOne(set: OwnedSet, known: KubeObject, intent: Intent): Promise<KubeObject> {
  refuseForeign(set, known);
  if (known.metadata.deletionTimestamp !== undefined || isApplied(set, known, intent)) return known;
  const exact = { ...intent, metadata: { ...intent.metadata, uid: known.metadata.uid } };
  const applied = (await set.client.apply(set.kind, exact, {
    force: true,
    fieldManager: set.manager,
  })) as KubeObject;
  if (applied.metadata.resourceVersion !== known.metadata.resourceVersion)
    set.wrote(`${set.kind.kind} ${applied.metadata.name}`, applied);
  return applied;
}

/**
 * Refuses an object of another owner. An object with this manager's Apply entry but without a
 * controller has lost its owner reference, which the next apply restores.
 */
function refuseForeign(set: OwnedSet, known: KubeObject): void {
  const controller = known.metadata.ownerReferences?.find((reference) => reference.controller);
  if (
    controller?.uid === set.owner.metadata.uid ||
    (!controller && (set.adopt || appliedFields(known, set.manager, "") !== undefined))
  )
    return;
  const name = JSON.stringify(known.metadata.name);
  throw ownError(
    set,
    "ERR_OWN_FOREIGN",
    controller
      ? {
          problem: `${name} exists and is controlled by ${controller.kind} "${controller.name}"`,
          hint: "use another name",
        }
      : {
          problem: `${name} exists and has no controller`,
          hint: "use another name, or pass { adopt: true } to adopt it",
        },
  );
}

/** True when this manager owns exactly the intent's fields, with the intent's values. */
function isApplied(set: OwnedSet, known: KubeObject, intent: Intent): boolean {
  const fields = appliedFields(known, set.manager, "");
  if (!fields) return false;
  const applied = extractFields(known as unknown as JsonObject, fields) as JsonObject;
  return equalJson(comparable(applied), comparable({ ...intent } as unknown as JsonObject));
}

/** An intent without the fields that identify the object. */
function comparable(intent: JsonObject): JsonObject {
  const { apiVersion: _a, kind: _k, metadata, ...rest } = intent;
  const { name: _n, namespace: _ns, uid: _u, ...described } = (metadata ?? {}) as JsonObject;
  return (withoutEmpty({ ...rest, metadata: described }) ?? {}) as JsonObject;
}

/** Removes nulls and empty objects and lists, which the server drops and which need no write. */
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

/** True when an owner reference can refer to objects of `kind`, in any version. */
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
  { owner, ownerKind, kind }: Pick<OwnedSet, "owner" | "ownerKind" | "kind">,
  code: string,
  { problem, hint }: { readonly problem: string; readonly hint: string },
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

async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i]!);
  };
  await Promise.all(Array.from({ length: Math.min(parallelWrites, items.length) }, lane));
  return results;
}
