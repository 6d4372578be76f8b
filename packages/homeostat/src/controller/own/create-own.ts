// own(): brings the owned objects of one kind to their desired state. Applies differences, deletes
// members that are no longer desired, and never touches objects of other owners. An object is a
// member if it has the controller owner reference and an Apply entry of this set's field manager.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { OwnOptions } from "../define-controller.ts";
import { applyChild } from "./apply-child.ts";
import { type Intent, refuseDuplicates, toIntent } from "./child-intent.ts";
import { inLanes } from "./in-lanes.ts";
import { ownError } from "./own-error.ts";
import { type OwnedSet, type OwnedSetDependencies, parallelWrites } from "./owned-set.ts";
import { prune, undesired } from "./prune.ts";

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
  /** Children that own() has deleted in finalize and that still exist; undefined for none. */
  remaining(): string | undefined;
}

/** Parameters of an owning. */
export interface OwnDependencies extends OwnedSetDependencies {
  /** True in finalize: children are deleted at once, and waited for. */
  readonly isFinal: boolean;
}

interface Deferred {
  readonly set: OwnedSet;
  readonly desired: ReadonlySet<string>;
}

/** Creates the owning of one reconcile. */
export function createOwn(dependencies: OwnDependencies): Owning {
  const { memory, isFinal } = dependencies;
  const done = new Set<string>();
  const deferred: Deferred[] = [];
  const left: string[] = [];
  return {
    async own(kind, desired, options = {}) {
      refuseTwice(dependencies, done, kind, options.set);
      const set = openSet(dependencies, kind, options);
      memory.called(kind, set.manager);
      const intents = desired.map((manifest) => toIntent(set, manifest));
      refuseDuplicates(set, intents);
      const objects = await inLanes(parallelWrites, intents, (intent) => applyChild(set, intent));
      const keys = new Set(intents.map((one) => keyOfIntent(one)));
      if (!isFinal && memory.mayMove(kind)) deferred.push({ set, desired: keys });
      else await prune(set, undesired(set, keys));
      if (isFinal) waitUntilGone(set, undesired(set, keys), left);
      return objects;
    },
    async finish() {
      for (const { set, desired } of deferred) await prune(set, undesired(set, desired));
      memory.completed();
    },
    remaining: () => (left.length === 0 ? undefined : left.join(", ")),
  };
}

const keyOfIntent = ({ metadata }: Intent): string => formatObjectKey(metadata);

function refuseTwice(
  dependencies: OwnDependencies,
  done: Set<string>,
  kind: Kind,
  set: string | undefined,
): void {
  const id = `${kind.apiVersion}/${kind.kind}/${set ?? ""}`;
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
