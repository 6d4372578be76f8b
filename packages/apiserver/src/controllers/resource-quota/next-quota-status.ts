// Computes the status of a quota from the objects of its namespace. Pure.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go,
// k8s.io/kubernetes/pkg/controller/resourcequota/resource_quota_controller.go (syncResourceQuota).
import type { ResourceQuota } from "homeostat/k8s/core/v1";
import { formatQuantity } from "../../apimachinery/values/quantity.ts";
import type { Evaluator } from "../../kinds/core/quota/evaluators.ts";
import {
  type Amounts,
  type QuotaObject,
  sameAmounts,
  scopesOf,
  zero,
} from "../../kinds/core/quota/quota-amounts.ts";
import { addTo, type ResourceSum } from "../../kinds/core/resources/resource-lists.ts";

/** One tracked resource: its evaluator and its objects in the namespace. */
export interface Tracked {
  readonly evaluator: Evaluator;
  readonly objects: readonly QuotaObject[];
}

/**
 * The status to write; undefined if it is current. Resources without an evaluator keep their usage.
 */
export function nextQuotaStatus(
  quota: ResourceQuota,
  tracked: readonly Tracked[],
  now: number,
): { readonly hard: Amounts; readonly used: Amounts } | undefined {
  const { hard = {} } = quota.spec;
  const names = Object.keys(hard);
  const sums: ResourceSum = new Map();
  for (const one of tracked)
    for (const [name, amount] of usageOf(quota, one, now)) addTo(sums, name, amount);
  const measured = Object.fromEntries([...sums].map(([name, sum]) => [name, formatQuantity(sum)]));
  const all: Amounts = { ...quota.status.used, ...measured };
  const used = Object.fromEntries(
    names.filter((name) => all[name] !== undefined).map((name) => [name, all[name]!]),
  );
  const { status } = quota;
  const isCurrent =
    status.hard !== undefined &&
    status.used !== undefined &&
    sameAmounts(hard, status.hard) &&
    sameAmounts(used, status.used);
  return isCurrent ? undefined : { hard, used };
}

/** What the objects use; zero of the names that the quota limits and the evaluator handles. */
function usageOf(quota: ResourceQuota, { evaluator, objects }: Tracked, now: number): ResourceSum {
  const names = Object.keys(quota.spec.hard ?? {}).filter((name) => evaluator.covers(name));
  const sums: ResourceSum = new Map(names.map((name) => [name, zero]));
  const scopes = scopesOf(quota);
  for (const object of objects) {
    if (!scopes.every((scope) => evaluator.inScope(scope, object))) continue;
    for (const [name, amount] of evaluator.usage(object, now)) addTo(sums, name, amount);
  }
  return sums;
}
