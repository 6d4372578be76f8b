// Collects the children that no owner reference reaches, when their owner is being deleted: what
// garbage collection does for the others.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import { backReferenceIndex } from "./back-reference.ts";
import { existing } from "./existing.ts";
import { inLanes } from "./in-lanes.ts";
import { managedEntries } from "./owned-fields.ts";
import { type OwnedSet, type OwnedSetDependencies, parallelWrites } from "./owned-set.ts";
import { deleteMember } from "./prune.ts";
import { lookUpUncovered, type UncoveredOptions } from "./uncovered.ts";

/** What still exists of the children. */
export interface Uncollected {
  /** E.g. `Part m/a, Part m/b`. */
  readonly what: string;
  /** No informer shows when they are all gone. */
  readonly isUnseen: boolean;
}

/** Deletes the children of all sets. Returns what still exists then; undefined for nothing. */
export async function collectUnreachable(
  dependencies: OwnedSetDependencies,
  kinds: readonly Kind[],
  options: UncoveredOptions,
): Promise<Uncollected | undefined> {
  const left: string[] = [];
  let isUnseen = false;
  for (const kind of kinds) {
    const informer = dependencies.informer(kind);
    if (!informer) continue;
    const set: OwnedSet = { ...dependencies, kind, informer, adopt: false };
    await deleteAll(set, children(set));
    const unseen = await unseenChildren(set, options);
    await deleteAll(set, unseen);
    const staying = existing(set, unseen);
    if (staying.length > 0) isUnseen = true;
    for (const { metadata } of [...children(set), ...staying])
      left.push(`${kind.kind} ${formatObjectKey(metadata)}`);
  }
  return left.length === 0 ? undefined : { what: left.join(", "), isUnseen };
}

async function deleteAll(set: OwnedSet, found: readonly KubeObject[]): Promise<void> {
  const present = found.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  await inLanes(parallelWrites, present, (child) => deleteMember(set, child));
}

async function unseenChildren(
  set: OwnedSet,
  options: UncoveredOptions,
): Promise<readonly KubeObject[]> {
  const seen = new Set(children(set).map(({ metadata }) => metadata.uid));
  const found = existing(set, await lookUpUncovered(set, options));
  return found.filter((child) => !seen.has(child.metadata.uid) && hasApplied(set, child));
}

/** Children of the owner that this controller has applied, in whichever set. */
function children(set: OwnedSet): readonly KubeObject[] {
  const { informer, owner } = set;
  const labelled = informer.unchecked.byIndex(backReferenceIndex, owner.metadata.uid);
  return existing(set, labelled).filter((child) => hasApplied(set, child));
}

function hasApplied({ manager }: OwnedSet, child: KubeObject): boolean {
  return managedEntries(child).some(({ manager: other, operation }) => {
    const name = String(other);
    return operation === "Apply" && (name === manager || name.startsWith(`${manager}/`));
  });
}
