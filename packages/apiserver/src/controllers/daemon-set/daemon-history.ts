// The revisions of a DaemonSet: finds or creates the revision of the current template, and selects
// those to delete.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/update.go (constructHistory, snapshot,
// dedupCurHistories, cleanupHistory).
import { newControllerRef } from "../../component-helpers/meta/controller-reference.ts";
import { createObject } from "../../component-helpers/meta/write-object.ts";
import { isAlreadyExists } from "homeostat/api";
import type { Client } from "homeostat/client";
import {
  isSameData,
  revisionLabel,
  templatePatch,
} from "../../component-helpers/workloads/controller-revision.ts";
import { ControllerRevision, DaemonSet } from "homeostat/k8s/apps/v1";
import { Pod } from "homeostat/k8s/core/v1";
import type { ControllerContext } from "../../component-helpers/controller/controller.ts";
import { deleteRevision } from "../../component-helpers/workloads/revision-history.ts";
import { templateHash } from "../../component-helpers/workloads/template-hash.ts";

/** The default of the API. */
const defaultLimit = 10;

/** The hash of the current revision, and the revisions of other templates. */
export interface DaemonHistory {
  readonly hash: string;
  readonly old: readonly ControllerRevision[];
}

/** What revisions are made with. */
export type HistoryTools = Pick<ControllerContext, "client" | "kindData">;

const hashOf = ({ metadata }: ControllerRevision): string => metadata.labels?.[revisionLabel] ?? "";

/**
 * Finds or creates the current revision. `pods` is called only if several revisions have the same
 * template.
 */
export async function findHistory(
  tools: HistoryTools,
  set: DaemonSet,
  {
    revisions,
    pods,
  }: {
    readonly revisions: readonly ControllerRevision[];
    readonly pods: () => Promise<readonly Pod[]>;
  },
): Promise<DaemonHistory> {
  const { client } = tools;
  const labelled = await Promise.all(revisions.map((one) => withLabel(client, one)));
  const data = templatePatch(set.spec.template);
  const same = labelled.filter((one) => isSameData(one.data, data));
  const old = labelled.filter((one) => !same.includes(one));
  const number = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
  if (same.length === 0) return { hash: hashOf(await snapshot(tools, set, number)), old };
  const kept = same.reduce((a, b) => (b.revision >= a.revision ? b : a));
  if (same.length > 1) await keepOne(client, kept, { same, pods: await pods() });
  if (kept.revision < number)
    await client.update(ControllerRevision, { ...kept, revision: number });
  return { hash: hashOf(kept), old };
}

/** Labels a revision without a hash with its own name. */
async function withLabel(
  client: Client,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { metadata } = revision;
  if (metadata.labels?.[revisionLabel] !== undefined) return revision;
  return client.update(ControllerRevision, {
    ...revision,
    metadata: { ...metadata, labels: { ...metadata.labels, [revisionLabel]: metadata.name } },
  });
}

/** Relabels the pods of duplicate revisions, then deletes the duplicates. */
async function keepOne(
  client: Client,
  kept: ControllerRevision,
  { same, pods }: { readonly same: readonly ControllerRevision[]; readonly pods: readonly Pod[] },
): Promise<void> {
  const body = { metadata: { labels: { [revisionLabel]: hashOf(kept) } } };
  for (const { metadata } of pods)
    if (metadata.labels?.[revisionLabel] !== hashOf(kept))
      await client.patch(
        Pod,
        { name: metadata.name, namespace: metadata.namespace },
        { type: "merge", body },
      );
  for (const one of same) if (one !== kept) await deleteRevision(client, one);
}

async function snapshot(
  { client, kindData }: HistoryTools,
  set: DaemonSet,
  revision: number,
): Promise<ControllerRevision> {
  const { template } = set.spec;
  const { name, namespace, annotations } = set.metadata;
  const hash = templateHash(kindData, template, set.status.collisionCount);
  const data = templatePatch(template);
  const labels = { ...template.metadata?.labels, [revisionLabel]: hash };
  const ownerReferences = [newControllerRef(set, DaemonSet)];
  const metadata = {
    name: `${name}-${hash}`,
    namespace,
    labels,
    ...(annotations ? { annotations } : {}),
    ownerReferences,
  };
  try {
    return await createObject(client, ControllerRevision, {
      apiVersion: "apps/v1",
      kind: "ControllerRevision",
      metadata,
      data,
      revision,
    });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const found = await client.get(ControllerRevision, { name: metadata.name, namespace });
    if (isSameData(found.data, data)) return found;
    await countCollision(client, set);
    throw error;
  }
}

/** Counts a name collision, so that the next sync uses another name. */
async function countCollision(client: Client, set: DaemonSet): Promise<void> {
  const { name, namespace } = set.metadata;
  const live = await client.get(DaemonSet, { name, namespace });
  if (live.status.collisionCount !== set.status.collisionCount) return;
  const status = { ...live.status, collisionCount: (live.status.collisionCount ?? 0) + 1 };
  await client.update(DaemonSet, { ...live, status }, { subresource: "status" });
}

/** The revisions to delete, oldest first: as many as exceed the limit, of those without pods. */
export function spentRevisions(
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): readonly ControllerRevision[] {
  const above = Math.max(0, old.length - (set.spec.revisionHistoryLimit ?? defaultLimit));
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[revisionLabel] ?? ""));
  const unused = old.filter((one) => hashOf(one) === "" || !live.has(hashOf(one)));
  return unused.toSorted((a, b) => a.revision - b.revision).slice(0, above);
}
