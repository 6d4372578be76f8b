// Resource quotas and what they are summed up from, as far as their controller looks at them; lists
// of amounts. Pure.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/apiserver/pkg/quota/v1/resources.go.
import type { JsonObject } from "homeostat/api";
import { parseQuantity, type Quantity } from "../../apimachinery/values/quantity.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { ResourceQuota } from "homeostat/k8s/core/v1";
import { type ScopedResourceSelectorRequirement } from "homeostat/k8s/core/v1";

/** Quantities as text, by the name of the resource. */
export type Amounts = Readonly<Record<string, string>>;

/** Any object of which the usage is asked. */
export type Counted = ApiObject & { readonly spec?: JsonObject; readonly status?: JsonObject };

/** Sums in the making. */
export type Sums = Map<string, Quantity>;

export const one: Quantity = { nano: 1_000_000_000n, format: "DecimalSI" };
export const zero: Quantity = { nano: 0n, format: "DecimalSI" };

/** Adds to a sum; a sum of nothing takes the form of what is added. */
export function addTo(sums: Sums, name: string, quantity: Quantity): void {
  const before = sums.get(name);
  sums.set(
    name,
    before && before.nano !== 0n
      ? { nano: before.nano + quantity.nano, format: before.format }
      : quantity,
  );
}

/** Whether two lists name the same resources with the same amounts, however they are written. */
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

/** The scopes of a quota, the plain ones as requirements. */
export function scopesOf({
  spec: { scopes = [], scopeSelector },
}: ResourceQuota): readonly ScopedResourceSelectorRequirement[] {
  return [
    ...scopes.map((scopeName) => ({ scopeName, operator: "Exists" as const })),
    ...(scopeSelector?.matchExpressions ?? []),
  ];
}

/**
 * Whether one of an object's names of the kind that a scope is about meets it; no name at all only
 * meets what asks for absence.
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
