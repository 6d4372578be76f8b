// own(): brings the owned objects of one kind to their desired state. Applies differences, deletes
// members that are no longer desired, and never touches objects of other owners. An object is a
// member if it has the controller owner reference and an Apply entry of this set's field manager.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { OwnOptions } from "../define-controller.ts";
import { applyChild } from "./apply-child.ts";
import { refuseDuplicates, toIntent } from "./child-intent.ts";
import { inLanes } from "./in-lanes.ts";
import { ownError } from "./own-error.ts";
import { type OwnedSet, type OwnedSetDependencies, parallelWrites } from "./owned-set.ts";
import { prune } from "./prune.ts";

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
    const objects = await inLanes(parallelWrites, manifests, (intent) => applyChild(set, intent));
    await prune(set, new Set(manifests.map((one) => one.metadata.name)));
    return objects;
  };
}
