// A quota while requests are checked against it, and sums of resources. Pure.
// Upstream: k8s.io/apiserver/pkg/quota/v1/resources.go.
import { compareBytewise, type Decoded } from "homeostat/api";
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../apimachinery/values/quantity.ts";
import { type Amounts, scopesOf } from "../../kinds/core/quota/quota-amounts.ts";
import { addTo, type ResourceSum } from "../../kinds/core/resources/resource-lists.ts";

/** A quota with the usage that it will have. */
export interface RunningQuota {
  readonly name: string;
  /** As it is stored; must not be mutated. */
  readonly stored: Decoded<ResourceQuota>;
  readonly scopes: readonly ScopedResourceSelectorRequirement[];
  readonly hard: ReadonlyMap<string, Quantity>;
  readonly used: ReadonlyMap<string, Quantity>;
}

export const openQuota = (stored: Decoded<ResourceQuota>): RunningQuota => ({
  name: stored.metadata?.name ?? "",
  stored,
  scopes: scopesOf(stored as ResourceQuota),
  hard: toSum(stored.status?.hard ?? {}),
  used: toSum(stored.status?.used ?? {}),
});

const toSum = (amounts: Amounts): ResourceSum =>
  new Map(Object.entries(amounts).map(([name, text]) => [name, parseQuantity(text)]));

export const toAmounts = (sum: ReadonlyMap<string, Quantity>): Record<string, string> =>
  Object.fromEntries([...sum].map(([name, amount]) => [name, formatQuantity(amount)]));

/** The sum of both for each name of either. */
export function addSums(
  a: ReadonlyMap<string, Quantity>,
  b: ReadonlyMap<string, Quantity>,
): ResourceSum {
  const sum: ResourceSum = new Map(a);
  for (const [name, amount] of b) addTo(sum, name, amount);
  return sum;
}

/** What `a` has more than `b`, without what it has not. */
export function exceeding(
  a: ReadonlyMap<string, Quantity>,
  b: ReadonlyMap<string, Quantity>,
): ResourceSum {
  const more = [...a].map(([name, { nano, format }]): [string, Quantity] => [
    name,
    { nano: nano - (b.get(name)?.nano ?? 0n), format },
  ]);
  return new Map(more.filter(([, { nano }]) => nano > 0n));
}

export const withoutZeros = (sum: ReadonlyMap<string, Quantity>): ResourceSum =>
  new Map([...sum].filter(([, { nano }]) => nano !== 0n));

export const pickNames = (
  sum: ReadonlyMap<string, Quantity>,
  isPicked: (name: string) => boolean,
): ResourceSum => new Map([...sum].filter(([name]) => isPicked(name)));

/** `cpu=2,memory=1Gi`, sorted. */
export const formatSum = (sum: ReadonlyMap<string, Quantity>): string =>
  [...sum]
    .toSorted(([a], [b]) => compareBytewise(a, b))
    .map(([name, amount]) => `${name}=${formatQuantity(amount)}`)
    .join(",");

/** Whether two quotas are used alike. */
export const isUsedAlike = (a: RunningQuota, b: RunningQuota): boolean =>
  a.used === b.used ||
  (a.used.size === b.used.size &&
    [...a.used].every(([name, { nano }]) => b.used.get(name)?.nano === nano));
