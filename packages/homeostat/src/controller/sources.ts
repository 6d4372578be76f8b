// From watch to queue: which object of the controller a change wakes, and the cause that people are
// shown. Causes are recorded, never passed to reconcile.
import type { Kind } from "../api/kind.ts";
import type { KubeObject } from "../api/object-meta.ts";
import type { CachedObject, HandlerCause, Informer } from "../cache/informer.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import type { ControllerDefinition } from "./define-controller.ts";
import { refersToKind } from "./owned-set.ts";
import { targetKeyStrings } from "./resolve-refs.ts";

/**
 * Priority of work that only the first list or a resync asks for, as controller-runtime's
 * handler.LowPriority.
 */
const lowPriority = -100;

/** What sources put keys into. */
export interface SourceDependencies {
  readonly definition: ControllerDefinition;
  readonly queue: WorkQueue;
  readonly primary: Informer;
  informer(kind: Kind): Informer | undefined;
  /** An object of the primary kind is gone. */
  gone(key: string): void;
}

/** Connects every informer of a controller with its queue. Returns how to disconnect. */
export function connectSources(dependencies: SourceDependencies): { remove(): void } {
  const connections = [
    connectPrimary(dependencies),
    ...dependencies.definition.owns.map((kind) => connectOwned(dependencies, kind)),
    ...Object.keys(dependencies.definition.refs).map((name) => connectRef(dependencies, name)),
  ];
  return { remove: () => connections.forEach((connection) => connection.remove()) };
}

function connectPrimary({ definition, primary, queue, gone }: SourceDependencies): {
  remove(): void;
} {
  const wake = (object: CachedObject, change: string, cause: HandlerCause): void =>
    enqueue(queue, object.key, `${definition.kind.kind} ${change}`, "itself", object, cause);
  return primary.addHandler({
    added: (object, cause) => wake(object, "added", cause),
    updated: (_, object, cause) =>
      wake(object, cause.through === "resync" ? "looked at again" : "changed", cause),
    deleted(object, cause) {
      gone(object.key);
      wake(object, "deleted", cause);
    },
  });
}

function connectOwned(
  { definition, queue, ...dependencies }: SourceDependencies,
  kind: Kind,
): { remove(): void } {
  const wake = (object: CachedObject, change: string, cause: HandlerCause): void => {
    const owner = (object.read() as KubeObject).metadata.ownerReferences?.find(
      (reference) => reference.controller && refersToKind(reference, definition.kind),
    );
    if (!owner) return;
    const key =
      definition.kind.scope === "Namespaced" ? `${object.namespace}/${owner.name}` : owner.name;
    enqueue(queue, key, `${kind.kind} ${object.key} ${change}`, `owns ${kind.kind}`, object, cause);
  };
  return required(dependencies, kind).addHandler({
    added: (object, cause) => wake(object, "added", cause),
    updated(old, object, cause) {
      wake(object, "changed", cause);
      if (ownerUid(old) !== ownerUid(object)) wake(old, "left", cause);
    },
    deleted: (object, cause) => wake(object, "deleted", cause),
  });
}

function connectRef(
  { definition, queue, primary, ...dependencies }: SourceDependencies,
  name: string,
): { remove(): void } {
  const ref = definition.refs[name]!;
  const index = `ref:${definition.name}:${name}`;
  primary.addIndex(index, (object: KubeObject) => targetKeyStrings(ref, object));
  const wake = (target: CachedObject, change: string, cause: HandlerCause): void => {
    for (const source of primary.entriesByIndex(index, target.key))
      enqueue(
        queue,
        source.key,
        `${ref.target.kind} ${target.key} ${change}`,
        `ref ${name}`,
        target,
        cause,
      );
  };
  return required(dependencies, ref.target).addHandler({
    added: (target, cause) => wake(target, "added", cause),
    updated: (_, target, cause) => wake(target, "changed", cause),
    deleted: (target, cause) => wake(target, "deleted", cause),
  });
}

function enqueue(
  queue: WorkQueue,
  key: string,
  what: string,
  source: string,
  object: CachedObject,
  cause: HandlerCause,
): void {
  const priority = cause.through === "initial" || cause.through === "resync" ? lowPriority : 0;
  queue.add(key, { priority, cause: { what, source, resourceVersion: object.resourceVersion } });
}

function required(
  dependencies: { informer(kind: Kind): Informer | undefined },
  kind: Kind,
): Informer {
  return dependencies.informer(kind)!;
}

const ownerUid = (object: CachedObject): string => object.ownerUids.join();
