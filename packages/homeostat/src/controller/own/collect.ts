// Collects the children that no owner reference reaches, when their owner is being deleted: what
// garbage collection does for the others.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import { backReferenceIndex } from "./back-reference.ts";
import { inLanes } from "./in-lanes.ts";
import { managedEntries } from "./owned-fields.ts";
import { type OwnedSet, type OwnedSetDependencies, parallelWrites } from "./owned-set.ts";
import { deleteMember } from "./prune.ts";

/** Deletes the children of all sets. Returns what still exists then; undefined for nothing. */
export async function collectUnreachable(
  dependencies: OwnedSetDependencies,
  kinds: readonly Kind[],
): Promise<string | undefined> {
  const left: string[] = [];
  for (const kind of kinds) {
    const informer = dependencies.informer(kind);
    if (!informer) continue;
    const set: OwnedSet = { ...dependencies, kind, informer, adopt: false };
    const present = children(set).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    );
    await inLanes(parallelWrites, present, (child) => deleteMember(set, child));
    left.push(...children(set).map(({ metadata }) => `${kind.kind} ${formatObjectKey(metadata)}`));
  }
  return left.length === 0 ? undefined : left.join(", ");
}

/** Children of the owner that this controller has applied, in whichever set. */
function children(set: OwnedSet): readonly KubeObject[] {
  const { informer, owner, memory } = set;
  const labelled = informer.byIndex(
    backReferenceIndex,
    owner.metadata.uid,
  ) as readonly KubeObject[];
  return labelled.filter((child) => !memory.isGone(child.metadata.uid) && hasApplied(set, child));
}

function hasApplied({ manager }: OwnedSet, child: KubeObject): boolean {
  return managedEntries(child).some(({ manager: other, operation }) => {
    const name = String(other);
    return operation === "Apply" && (name === manager || name.startsWith(`${manager}/`));
  });
}
