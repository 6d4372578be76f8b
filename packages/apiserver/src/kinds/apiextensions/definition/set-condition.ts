// Sets a condition in a definition's list.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apihelpers/helpers.go (SetCRDCondition).
import type { DefinitionCondition } from "./definition.ts";

/**
 * The list with the condition in its old place, or at the end. lastTransitionTime changes only with
 * the status.
 */
export function setCondition(
  conditions: readonly DefinitionCondition[],
  condition: DefinitionCondition,
  now: string,
): readonly DefinitionCondition[] {
  const old = conditions.find((each) => each.type === condition.type);
  if (!old) return [...conditions, { ...condition, lastTransitionTime: now }];
  const time =
    old.status !== condition.status || !old.lastTransitionTime ? now : old.lastTransitionTime;
  return conditions.map((each) =>
    each === old
      ? {
          ...old,
          status: condition.status,
          reason: condition.reason ?? "",
          message: condition.message ?? "",
          lastTransitionTime: time,
        }
      : each,
  );
}
