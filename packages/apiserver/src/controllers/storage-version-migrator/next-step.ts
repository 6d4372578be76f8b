// What a storage version migration needs next. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/storageversionmigrator/{migrationrunner,
// resourceversion,storageversionmigrator}.go, three controllers whose conditions exclude one
// another.
import { findStatusCondition, isStatusConditionTrue } from "homeostat/api";
import type { Condition } from "homeostat/k8s/meta/v1";
import type { StorageVersionMigration } from "homeostat/k8s/storagemigration/v1beta1";
import { byCreation } from "../../component-helpers/meta/by-creation.ts";

/**
 * `promote` starts it, `checkpoint` notes the revision up to which objects are rewritten, `migrate`
 * rewrites them, `clean-up` ends it.
 */
export type Step = "promote" | "checkpoint" | "migrate" | "clean-up";

const has = ({ status }: StorageVersionMigration, type: string): boolean =>
  isStatusConditionTrue(status?.conditions, type);

const hasEnded = (migration: StorageVersionMigration): boolean =>
  has(migration, "Succeeded") || has(migration, "Failed");

/** `all` holds the migrations of every resource; those of one resource run one after the other. */
export function nextStep(
  migration: StorageVersionMigration,
  all: readonly StorageVersionMigration[],
): Step | undefined {
  const isRunning = has(migration, "Running");
  if (hasEnded(migration)) return isRunning ? "clean-up" : undefined;
  if (isRunning) return migration.status?.resourceVersion ? "migrate" : "checkpoint";
  const waiting = all.filter((other) => isOfSameResource(migration, other) && !hasEnded(other));
  const isTurn =
    !waiting.some((other) => has(other, "Running")) &&
    waiting.toSorted(byCreation)[0]?.metadata.name === migration.metadata.name;
  return isTurn ? "promote" : undefined;
}

export const isOfSameResource = (
  { spec: { resource: a } }: StorageVersionMigration,
  { spec: { resource: b } }: StorageVersionMigration,
): boolean => a.group === b.group && a.resource === b.resource;

/** With one more condition that holds; a condition that is set, true or false, stays. */
export function withCondition(
  { status }: StorageVersionMigration,
  condition: Omit<Condition, "status">,
): StorageVersionMigration["status"] {
  const { conditions = [] } = status ?? {};
  const known = findStatusCondition(conditions, condition.type)?.status;
  if (known === "True" || known === "False") return { ...status, conditions };
  return { ...status, conditions: [...conditions, { ...condition, status: "True" }] };
}
