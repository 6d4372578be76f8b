// The revisions of a stateful set: finds or makes the one that says what the set says now, knows
// the one that it comes from, and deletes those that nobody needs.
// Upstream: k8s.io/kubernetes/pkg/controller/statefulset/stateful_set_control.go
// (getStatefulSetRevisions, truncateHistory).
import { toControllerReference } from "homeostat/api";
import type { Client } from "homeostat/client";
import {
  byRevision,
  isSameData,
  type NewRevision,
  revisionHash,
  revisionName,
  templatePatch,
} from "../../component-helpers/workloads/controller-revision.ts";
import type { Pod } from "homeostat/k8s/core/v1";
import { type ControllerRevision, StatefulSet } from "homeostat/k8s/apps/v1";
import {
  createRevision,
  deleteRevision,
  renumberRevision,
} from "../../component-helpers/workloads/revision-history.ts";
import { revisionOfPod } from "./stateful-set-objects.ts";

/** The label with a revision's hash, as it was before any collision. */
const hashLabel = "controller.kubernetes.io/hash";
/** As the API defaults it. */
const defaultLimit = 10;

/** Between which revisions a set is. */
export interface SetHistory {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
  readonly collisions: number;
}

/**
 * What is to become of the revisions: one of them says it already, goes to the front, or a new one
 * is made.
 */
export type RevisionPlan =
  | { readonly update: ControllerRevision }
  | { readonly front: ControllerRevision; readonly number: number }
  | { readonly create: NewRevision };

/** Decides about revisions, which may come in any order. */
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
  const ownerReferences = [
    toControllerReference({
      ...set,
      apiVersion: StatefulSet.apiVersion,
      kind: StatefulSet.kind,
    }),
  ];
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

/** Carries the plan out, and finds the revision that the set comes from. */
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

/** The revisions to delete: those that are neither in use nor among the newest of the rest. */
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

/** Deletes the revisions that nobody needs. */
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
