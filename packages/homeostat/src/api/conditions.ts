// Reads conditions of a status. Upstream: k8s.io/apimachinery/pkg/api/meta/conditions.go.
import { checkArgument } from "../util/call-options.ts";

/** The part of a condition that decides. */
interface StatusCondition {
  readonly type: string;
  readonly status: string;
}

/** The condition of a type; undefined when it is not set. */
export function findStatusCondition<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  type: C["type"],
): C | undefined {
  if (conditions === undefined || conditions === null) return undefined;
  checkArgument("findStatusCondition(…)", ["its first argument", conditions], "a list");
  return conditions.find((one) => one.type === type);
}

/**
 * True when the condition of a type is set and `"True"`: `isStatusConditionTrue(
 * order.status.conditions, "Ready")`.
 */
export function isStatusConditionTrue<C extends StatusCondition>(
  conditions: readonly C[] | undefined,
  type: C["type"],
): boolean {
  return findStatusCondition(conditions, type)?.status === "True";
}
