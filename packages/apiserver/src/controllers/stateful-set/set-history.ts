// The revisions of a StatefulSet: finds or creates the revision of the current template, finds the
// revision it updates from, and deletes unused revisions.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go
// (getStatefulSetRevisions, truncateHistory).
import { newControllerRef } from "../../component-helpers/meta/controller-reference.ts";
import { revisionHash, revisionName } from "homeostat/api";
import type { Client } from "homeostat/client";
import {
  byRevision,
  isSameData,
  type NewRevision,
  templatePatch,
} from "../../component-helpers/workloads/controller-revision.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import { type ControllerRevision, StatefulSet } from "homeostat/k8s/apps/v1";
import {
  createRevision,
  deleteRevision,
  renumberRevision,
} from "../../component-helpers/workloads/revision-history.ts";
import { revisionOfPod } from "./ordinals.ts";

/** The label with the hash of a revision before any collision. */
const hashLabel = "controller.kubernetes.io/hash";
/** The default of the API. */
const defaultLimit = 10;

/** The current and the update revision. */
export interface SetHistory {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisions: number;
}

/**
 * The change to the revisions: none, an existing revision is renumbered, or a new one is created.
 */
export type RevisionPlan =
  | { readonly update: ControllerRevision }
  | { readonly front: ControllerRevision; readonly number: number }
  | { readonly create: NewRevision };

/** Decides about the revisions, in any order. */
export function planRevision(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): RevisionPlan {
  const sorted = revisions.toSorted(byRevision);
  const last = sorted.at(-1);
  const data = templatePatch(set.spec.template);
  const number = (last?.revision ?? 0) + 1;
  const equal = sorted.findLast((one) => isSameData(one.data, data));
  if (equal && last && isSameData(last.data, equal.data)) return { update: last };
  if (equal) return { front: equal, number };
  const hash = revisionHash(data, set.status.collisionCount ?? 0);
  const { name, namespace, annotations } = set.metadata;
  const labels = { ...set.spec.template.metadata?.labels, [hashLabel]: hash };
  const ownerReferences = [newControllerRef(set, StatefulSet)];
  const metadata = {
    name: revisionName(name, hash),
    namespace,
    labels,
    ...(annotations ? { annotations } : {}),
    ownerReferences,
  };
  return {
    create: { apiVersion: "apps/v1", kind: "ControllerRevision", metadata, data, revision: number },
  };
}

/** Carries out the plan, and finds the current revision. */
export async function findRevisions(
  client: Client,
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
): Promise<SetHistory> {
  const plan = planRevision(set, revisions);
  const before = set.status.collisionCount ?? 0;
  const { revision: update, collisions } =
    "create" in plan
      ? await createRevision(client, set.metadata.name, plan.create, before)
      : {
          revision:
            "front" in plan ? await renumberRevision(client, plan.front, plan.number) : plan.update,
          collisions: before,
        };
  const current =
    revisions.find(({ metadata }) => metadata.name === set.status.currentRevision) ?? update;
  return { current, update, collisions };
}

/** The revisions to delete: those that are neither used nor among the newest of the rest. */
export function spentRevisions(
  set: StatefulSet,
  revisions: readonly ControllerRevision[],
  used: readonly string[],
): readonly ControllerRevision[] {
  const limit = set.spec.revisionHistoryLimit ?? defaultLimit;
  const unused = revisions
    .filter(({ metadata }) => !used.includes(metadata.name))
    .toSorted(byRevision);
  return limit < 0 ? [] : unused.slice(0, Math.max(0, unused.length - limit));
}

/** Deletes unused revisions. */
export async function truncateHistory(
  client: Client,
  set: StatefulSet,
  {
    revisions,
    pods,
    history,
  }: {
    readonly revisions: readonly ControllerRevision[];
    readonly pods: readonly Pod[];
    readonly history: SetHistory | undefined;
  },
): Promise<void> {
  const used = [
    ...(history ? [history.current.metadata.name, history.update.metadata.name] : []),
    ...pods.map(revisionOfPod),
  ];
  for (const one of spentRevisions(set, revisions, used)) await deleteRevision(client, one);
}
