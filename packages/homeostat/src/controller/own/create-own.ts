// own(): brings the owned objects of one kind to their desired state. Applies differences, deletes
// members that are no longer desired, and never touches objects of other owners. An object is a
// member if it has the controller owner reference, or the label in its place, and an Apply entry of
// this set's field manager.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { kindId } from "../echo/run-record.ts";
import type { OwnOptions } from "./own-function.ts";
import { isReachable } from "./back-reference.ts";
import { applyChild } from "./apply-child.ts";
import { type Intent, refuseDuplicates, toIntent } from "./child-intent.ts";
import { collectUnreachable, type Uncollected } from "./collect.ts";
import { findCached, isMatching } from "./existing.ts";
import { inLanes } from "./in-lanes.ts";
import { isReady } from "./is-ready.ts";
import { isMember } from "./membership.ts";
import { ownError } from "./own-error.ts";
import { OwnOrder, unreadyOf } from "./own-order.ts";
import { type OwnedSet, type OwnedSetDependencies, parallelWrites } from "./owned-set.ts";
import { prune, undesired } from "./prune.ts";
import type { UncoveredOptions } from "./uncovered.ts";

/** The owning of one reconcile. */
export interface Owning {
  /** Accepts each kind and set once. */
  own(
    kind: Kind,
    desired: readonly KubeObject[],
    options?: OwnOptions,
  ): Promise<readonly KubeObject[]>;
  /**
   * Deletes what no call of the run desires. To be called when a run has made all its calls, and
   * not for one that has failed: its later calls might have desired more.
   */
  finish(): Promise<void>;
  /** What keeps ordered sets from being as desired; undefined for nothing. */
  waiting(): string | undefined;
  /** Children that own() has deleted in finalize and that still exist; undefined for none. */
  remaining(): string | undefined;
  /**
   * Deletes the children that owner references do not reach, once finalize has returned. Returns
   * what still exists; undefined for nothing.
   */
  collect(): Promise<Uncollected | undefined>;
}

/** Parameters of an owning. */
export interface OwnDependencies extends OwnedSetDependencies, UncoveredOptions {
  /** True in finalize: children are deleted at once, and waited for. */
  readonly isFinal: boolean;
  /** The kinds that the controller owns. */
  readonly owns: readonly Kind[];
  /** Gives the owner the controller's finalizer. */
  protect(): Promise<void>;
}

interface Deferred {
  readonly set: OwnedSet;
  readonly desired: ReadonlySet<string>;
}

/** Creates the owning of one reconcile. */
export function createOwn(dependencies: OwnDependencies): Owning {
  const { memory, isFinal } = dependencies;
  const done = new Set<string>();
  const order = new OwnOrder({ isFinal });
  const deferred: Deferred[] = [];
  const left: string[] = [];
  return {
    async own(kind, desired, options = {}) {
      refuseTwice(dependencies, done, kind, options.set);
      const set = openSet(dependencies, kind, options);
      memory.called(kind, set.manager);
      const intents = desired.map((manifest) => toIntent(set, manifest));
      refuseDuplicates(set, intents);
      const keys = new Set(intents.map((one) => keyOfIntent(one)));
      if (options.order !== undefined && !order.admits(set, options.order)) {
        order.add({ set, order: options.order, desired: keys, isHeld: true, unready: [] });
        return present(set, intents);
      }
      await protectOwner(dependencies, intents);
      const objects = await inLanes(parallelWrites, intents, (intent) => applyChild(set, intent));
      if (!isFinal && options.order !== undefined) {
        const unready = unreadyOf(set, objects, readyOf(set, options));
        order.add({ set, order: options.order, desired: keys, isHeld: false, unready });
      } else if (!isFinal && memory.mayMove(kind)) deferred.push({ set, desired: keys });
      else await prune(set, undesired(set, keys));
      if (isFinal) waitUntilGone(set, undesired(set, keys), left);
      return objects;
    },
    async finish() {
      for (const { set, desired } of deferred) await pruneDeferred(order, set, desired);
      await order.prune();
      memory.completed();
    },
    waiting: () => order.waiting(),
    remaining: () => (left.length === 0 ? undefined : left.join(", ")),
    collect: () => collectUnreachable(dependencies, dependencies.owns, dependencies),
  };
}

/** The user's function is not called with an object that its types exclude. */
function readyOf(set: OwnedSet, { ready }: OwnOptions): (object: KubeObject) => boolean {
  if (!ready) return (one) => isReady(set.kind, one);
  return (one) => isMatching(set, one) && ready(one);
}

/** Before the first child that garbage collection would leave behind. */
async function protectOwner(
  { owner, protect }: OwnDependencies,
  intents: readonly Intent[],
): Promise<void> {
  if (intents.some(({ metadata }) => !isReachable(owner, metadata.namespace))) await protect();
}

/** The desired objects that exist, as they are. */
function present(set: OwnedSet, intents: readonly Intent[]): readonly KubeObject[] {
  return intents.flatMap(({ metadata: { name, namespace } }) => {
    const found = findCached(set, { name, namespace });
    return found && isMember(set, found) ? [found] : [];
  });
}

function pruneDeferred(order: OwnOrder, set: OwnedSet, desired: ReadonlySet<string>) {
  const members = undesired(set, desired).filter((object) => !order.isHeldBack(set, object));
  return prune(set, members);
}

const keyOfIntent = ({ metadata }: Intent): string => formatObjectKey(metadata);

function refuseTwice(
  dependencies: OwnDependencies,
  done: Set<string>,
  kind: Kind,
  set: string | undefined,
): void {
  const id = `${kindId(kind)}/${set ?? ""}`;
  if (done.has(id))
    throw ownError({ ...dependencies, kind }, "ERR_OWN_TWICE", {
      problem:
        "own() was called twice for this kind in one reconcile; each call deletes the objects that it does not list",
      hint: "pass all objects in one call, or name the sets with { set }",
    });
  done.add(id);
}

function openSet(dependencies: OwnDependencies, kind: Kind, options: OwnOptions): OwnedSet {
  const informer = dependencies.informer(kind);
  if (!informer)
    throw ownError({ ...dependencies, kind }, "ERR_UNDECLARED", {
      problem: "the kind is not declared",
      hint: "list the kind in `owns`",
    });
  const { manager } = dependencies;
  return {
    ...dependencies,
    kind,
    informer,
    adopt: options.adopt === true,
    manager: options.set ? `${manager}/${options.set}` : manager,
  };
}

/** The wait ends finalize, which runs again when a child is gone; it holds no worker. */
function waitUntilGone(set: OwnedSet, children: readonly KubeObject[], left: string[]): void {
  if (children.length === 0) return;
  const names = children.map(({ metadata }) => `${set.kind.kind} ${metadata.name}`);
  left.push(...names);
  throw ownError(set, "ERR_OWN_REMAINING", {
    problem: `${names.join(", ")} must be gone before finalize can go on`,
    hint: "let the error pass; finalize runs again when they are gone",
  });
}
