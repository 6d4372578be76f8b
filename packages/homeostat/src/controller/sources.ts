// From watch to queue: maps each change to the keys of the controller's objects, with a cause for
// people. Causes are recorded, never passed to reconcile.
// Upstream: sigs.k8s.io/controller-runtime/pkg/source and pkg/handler.
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import { controllerOf, refersToKind } from "../api/owner-reference.ts";
import type { CachedObject, HandlerCause, Informer } from "../cache/informer.ts";
import type { QueueCause, WorkQueue } from "../queue/workqueue.ts";
import type { ControllerDefinition } from "./define-controller.ts";
import type { OwnEchoes } from "./echo/own-echoes.ts";
import { objectId } from "./echo/run-record.ts";
import { isAnnotated } from "./pauses.ts";
import { whenOwned } from "./owned.ts";
import type { Predicate } from "./predicates.ts";
import type { WarnOnce } from "./warn-once.ts";
import { type Update, type When, whenCounts } from "./when-counts.ts";
import { targetKeyStrings } from "./resolve-refs.ts";
import { backReferenceIndex, backReferencesOf, labelledOwnerKey } from "./own/back-reference.ts";
import { indexName } from "./watching/cached-reads.ts";
import { connectSelection, type SelectedChange } from "./watching/connect-selection.ts";
import { type DeclaredSelection, declaredSelections } from "./watching/declared-selections.ts";

/**
 * Priority of keys from the first list or a resync, as controller-runtime's handler.LowPriority.
 */
export const lowPriority = -100;

/** What sources connect. */
export interface SourceDependencies {
  readonly definition: ControllerDefinition;
  readonly queue: WorkQueue;
  readonly primary: Informer;
  informer(kind: Kind): Informer | undefined;
  /** Receives changes that the controller may have caused itself. */
  readonly echoes: OwnEchoes;
  readonly warnings: WarnOnce;
  /** Receives each change of an object that concerns a key; `id` as in causes. */
  saw(key: string, id: string, object: CachedObject): void;
  /** Called when an object of the primary kind is deleted. */
  gone(key: string): void;
}

/** Connects the informers of a controller to its queue, until `remove()`. */
export function connectSources(dependencies: SourceDependencies): { remove(): void } {
  addIndexes(dependencies);
  const connections = [
    connectPrimary(dependencies),
    ...dependencies.definition.owns.map((kind) => connectOwned(dependencies, kind)),
    ...Object.keys(dependencies.definition.refs).map((name) => connectRef(dependencies, name)),
    ...declaredSelections(dependencies.definition).map((one) => connectWatch(dependencies, one)),
  ];
  return { remove: () => connections.forEach((connection) => connection.remove()) };
}

function connectPrimary(dependencies: SourceDependencies): { remove(): void } {
  const { definition, primary, gone } = dependencies;
  const { kind } = definition;
  const prefix = prefixOf(kind);
  const when = whenOf(dependencies, definition.when);
  const whats = {
    added: `${kind.kind} added`,
    changed: `${kind.kind} changed`,
    resynced: `${kind.kind} resynced`,
    deleted: `${kind.kind} deleted`,
  };
  const changeOf = (object: CachedObject, change: keyof typeof whats): Change => ({
    what: whats[change],
    source: "itself",
    object,
    prefix,
    mayEcho: echoingChanges.has(change),
  });
  const enqueueFor = (
    object: CachedObject,
    change: keyof typeof whats,
    cause: HandlerCause,
  ): void => enqueue(dependencies, object.key, cause, changeOf(object, change));
  return primary.addHandler({
    added: (object, cause) => enqueueFor(object, "added", cause),
    updated(old, object, cause) {
      if (counts(when, { old, object, cause }))
        enqueueFor(object, cause.through === "resync" ? "resynced" : "changed", cause);
      else drop(dependencies, object.key, changeOf(object, "changed"));
    },
    deleted(object, cause) {
      gone(object.key);
      enqueueFor(object, "deleted", cause);
    },
  });
}

/** `place` says which `when` of the controller it is. */
function whenOf(
  { definition, warnings }: SourceDependencies,
  when: Predicate | undefined,
  place?: string,
): When {
  const controller = `controller "${definition.name}"`;
  return { when, warnings, of: place === undefined ? controller : `${place} of ${controller}` };
}

/** A pause and its end always count. */
function counts(when: When, update: Update): boolean {
  return isAnnotated(update.old) !== isAnnotated(update.object) || whenCounts(when, update);
}

/** Records a change that `when` drops. */
function drop(
  { queue, echoes, saw }: SourceDependencies,
  key: string | undefined,
  { what, source, object, prefix }: Change,
): void {
  if (key === undefined) return;
  const { resourceVersion } = object;
  const id = `${prefix}${object.key}`;
  saw(key, id, object);
  echoes.arrived(key, `${id}@${resourceVersion}`);
  queue.ignore(key, { what: `${what}, dropped by \`when\``, source, resourceVersion, object: id });
}

function connectOwned(dependencies: SourceDependencies, kind: Kind): { remove(): void } {
  const { definition } = dependencies;
  const predicate = whenOwned(kind);
  const when = whenOf(dependencies, predicate, `owned ${kind.kind}`);
  /** By child, so that `when` drops without parsing. */
  const ownerKeys = new Map<string, string | undefined>();
  const prefix = prefixOf(kind);
  const changeOf = (object: CachedObject, change: string): Change => ({
    what: `${kind.kind} ${object.key} ${change}`,
    source: `owns ${kind.kind}`,
    object,
    prefix,
    mayEcho: echoingChanges.has(change),
  });
  const enqueueFor = (object: CachedObject, change: string, cause: HandlerCause): void => {
    const key = ownerKey(definition.kind, object);
    if (predicate && change !== "left") ownerKeys.set(object.key, key);
    if (key !== undefined) enqueue(dependencies, key, cause, changeOf(object, change));
  };
  const informer = required(dependencies, kind);
  informer.addIndex(backReferenceIndex, backReferencesOf, { includesMismatched: true });
  return informer.addHandler({
    added: (object, cause) => enqueueFor(object, "added", cause),
    updated(old, object, cause) {
      const left = hasLeft(definition.kind, old, object);
      if (!left && !whenCounts(when, { old, object, cause }))
        return drop(dependencies, ownerKeys.get(object.key), changeOf(object, "changed"));
      enqueueFor(object, "changed", cause);
      if (left) enqueueFor(old, "left", cause);
    },
    deleted(object, cause) {
      enqueueFor(object, "deleted", cause);
      ownerKeys.delete(object.key);
    },
  });
}

/** The key of the owner that controls an object, or that its back-reference names. */
function ownerKey(kind: Kind, child: CachedObject): string | undefined {
  const object = child.read() as KubeObject;
  const owner = controllerOf(object);
  if (!owner) return labelledOwnerKey(object, kind);
  if (!refersToKind(owner, kind)) return undefined;
  return kind.scope === "Namespaced" ? `${child.namespace}/${owner.name}` : owner.name;
}

/** An object without owner references may have had another back-reference. */
function hasLeft(kind: Kind, old: CachedObject, object: CachedObject): boolean {
  if (ownerUid(old) !== ownerUid(object)) return true;
  return object.ownerUids.length === 0 && ownerKey(kind, old) !== ownerKey(kind, object);
}

function connectRef(dependencies: SourceDependencies, name: string): { remove(): void } {
  const { definition, primary } = dependencies;
  const ref = definition.refs[name]!;
  const index = `ref:${definition.name}:${name}`;
  const when = whenOf(dependencies, ref.when, `ref ${name}`);
  const prefix = prefixOf(ref.target);
  const keysOf = (object: KubeObject) => targetKeyStrings(ref, object);
  primary.addIndex(index, keysOf, { isAddedAgain: true });
  const eachSource = (
    target: CachedObject,
    change: string,
    send: (key: string, change: Change) => void,
  ): void => {
    for (const source of primary.entriesByIndex(index, target.key))
      send(source.key, {
        what: `${ref.target.kind} ${target.key} ${change}`,
        source: `ref ${name}`,
        object: target,
        prefix,
        mayEcho: false,
      });
  };
  const enqueueFor = (target: CachedObject, change: string, cause: HandlerCause): void =>
    eachSource(target, change, (key, one) => enqueue(dependencies, key, cause, one));
  return required(dependencies, ref.target).addHandler({
    added: (target, cause) => enqueueFor(target, "added", cause),
    updated(old, target, cause) {
      if (whenCounts(when, { old, object: target, cause }))
        return enqueueFor(target, "changed", cause);
      return eachSource(target, "changed", (key, one) => drop(dependencies, key, one));
    },
    deleted: (target, cause) => enqueueFor(target, "deleted", cause),
  });
}

function connectWatch(
  dependencies: SourceDependencies,
  declared: DeclaredSelection,
): { remove(): void } {
  const { primary, queue } = dependencies;
  const { title: source, target: kind } = declared;
  const prefix = prefixOf(kind);
  return connectSelection(declared, {
    primary,
    informer: required(dependencies, kind),
    when: whenOf(dependencies, declared.when, source),
    enqueue: ({ source: key, object, what, cause }: SelectedChange) =>
      enqueue(dependencies, key, cause, { what, source, object, prefix, mayEcho: false }),
    ignore: ({ source: key, object: { resourceVersion }, what }: SelectedChange) =>
      queue.ignore(key, { what: `${what}, dropped by \`when\``, source, resourceVersion }),
  });
}

function addIndexes(dependencies: SourceDependencies): void {
  const { name: controller, indexes } = dependencies.definition;
  for (const [name, { target, valuesOf }] of Object.entries(indexes))
    required(dependencies, target).addIndex(indexName(controller, name), valuesOf);
}

/** The changes that a controller may make and know: a deletion is never known before it is seen. */
const echoingChanges: ReadonlySet<string> = new Set(["added", "changed"]);

const prefixOf = (kind: Kind): string => objectId(kind, "");

interface Change {
  readonly what: string;
  readonly source: string;
  readonly object: CachedObject;
  /** The object's id without its key, made once: a cause is kept for every key. */
  readonly prefix: string;
  /** The controller may have made this change itself. */
  readonly mayEcho: boolean;
}

function enqueue(
  { queue, echoes, saw }: SourceDependencies,
  key: string,
  { through }: HandlerCause,
  { what, source, object, prefix, mayEcho }: Change,
): void {
  const { resourceVersion } = object;
  const cause = { what, source, resourceVersion, object: prefix + object.key };
  saw(key, cause.object, object);
  if (mayEcho && through === "watch") {
    if (echoes.takes(key, `${cause.object}@${resourceVersion}`, cause)) return;
  }
  addFor(queue, key, through, cause);
}

/** Adds a key for a change: what is part of the first list or of a resync runs after all else. */
export function addFor(
  queue: Pick<WorkQueue, "add">,
  key: string,
  through: HandlerCause["through"],
  cause: QueueCause,
): void {
  const priority = through === "initial" || through === "resync" ? lowPriority : 0;
  queue.add(key, { priority, cause });
}

function required(
  dependencies: { informer(kind: Kind): Informer | undefined },
  kind: Kind,
): Informer {
  return dependencies.informer(kind)!;
}

const ownerUid = (object: CachedObject): string => object.ownerUids.join();
