// Amounts, sums and scopes of resource quotas. Pure.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/apiserver/pkg/quota/v1/resources.go.
import type { Decoded } from "homeostat/api";
import { parseQuantity, type Quantity } from "../../../apimachinery/values/quantity.ts";
import type { ResourceQuota, ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";
import type { ObjectMeta } from "homeostat/k8s/meta/v1";

/** Formatted quantities by resource name. */
export type Amounts = Readonly<Record<string, string>>;

/** An object whose usage an evaluator computes. */
export type QuotaObject = Decoded<{ readonly metadata: ObjectMeta }>;

export const one: Quantity = { nano: 1_000_000_000n, format: "DecimalSI" };
export const zero: Quantity = { nano: 0n, format: "DecimalSI" };

/** Whether two lists have the same resources with equal amounts. Notation does not matter. */
export function sameAmounts(a: Amounts = {}, b: Amounts = {}): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every(
      (name) =>
        b[name] !== undefined && parseQuantity(a[name]!).nano === parseQuantity(b[name]).nano,
    )
  );
}

/** The scopes of a quota, plain ones as requirements with the operator Exists. */
export function scopesOf({
  spec: { scopes = [], scopeSelector },
}: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

/** Whether the values of an object meet a scope. No values meet only DoesNotExist and NotIn. */
export function meetsScope(
  { operator, values = [] }: ScopedResourceSelectorRequirement,
  names: readonly string[],
): boolean {
  const isListed = (name: string): boolean => values.includes(name);
  switch (operator) {
    case "Exists":
      return names.length > 0;
    case "DoesNotExist":
      return names.length === 0;
    case "In":
      return names.some(isListed);
    default:
      return names.length === 0 || names.some((name) => !isListed(name));
  }
}
