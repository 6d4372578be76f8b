// Reads conditions of a status. Upstream: k8s.io/apimachinery/pkg/api/meta/conditions.go.

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
  return conditions?.find((one) => one.type === type);
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
