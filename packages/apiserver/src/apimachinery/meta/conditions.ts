// Conditions in a status.
// Upstream: k8s.io/apimachinery/pkg/api/meta/conditions.go.

interface TypedCondition {
  readonly type?: string | null;
  readonly status?: string | null;
}

/** True if the condition of this type is present and True. */
export const isStatusConditionTrue = (
  conditions: readonly TypedCondition[] | null | undefined,
  type: string,
): boolean => conditions?.find((condition) => condition.type === type)?.status === "True";
