// Amounts, sums and scopes of resource quotas. Pure.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/apiserver/pkg/quota/v1/resources.go.
import type { JsonObject } from "homeostat/api";
import { parseQuantity, type Quantity } from "../../apimachinery/values/quantity.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { ResourceQuota } from "homeostat/k8s/core/v1";
import { type ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";

/** Quantities as text, by the name of the resource. */
export type Amounts = Readonly<Record<string, string>>;

/** An object whose usage is measured. */
export type Counted = ApiObject & { readonly spec?: JsonObject; readonly status?: JsonObject };

/** Sums by the name of the resource. */
export type Sums = Map<string, Quantity>;

export const one: Quantity = { nano: 1_000_000_000n, format: "DecimalSI" };
export const zero: Quantity = { nano: 0n, format: "DecimalSI" };

/** Adds to a sum. A zero sum takes the format of the addend. */
export function addTo(sums: Sums, name: string, quantity: Quantity): void {
  const before = sums.get(name);
  sums.set(
    name,
    before && before.nano !== 0n
      ? { nano: before.nano + quantity.nano, format: before.format }
      : quantity,
  );
}

/** Whether two lists have the same resources with equal amounts, in whatever notation. */
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

/**
 * Whether the values of an object meet a scope; without any value only DoesNotExist and NotIn do.
 */
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
