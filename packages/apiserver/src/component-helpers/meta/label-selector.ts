// Label selectors as objects of the API have them.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector).
import { type LabelRequirement, type LabelSelector, matchesLabels } from "homeostat/api";
import type { LabelSelector as LabelSelectorObject } from "homeostat/k8s/meta/v1";

const operators: Readonly<Record<string, LabelRequirement["operator"]>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
  Gt: "gt",
  Lt: "lt",
};

/**
 * The requirements of a selector. No selector selects nothing: undefined. Node selectors have the
 * further operators Gt and Lt.
 */
export function toSelector(selector: LabelSelectorObject): LabelSelector;
export function toSelector(selector: LabelSelectorObject | undefined): LabelSelector | undefined;
export function toSelector(selector: LabelSelectorObject | undefined): LabelSelector | undefined {
  if (!selector) return undefined;
  const labels = Object.entries(selector.matchLabels ?? {}).map(
    ([key, value]): LabelRequirement => ({ key, operator: "=", values: [value] }),
  );
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values }): LabelRequirement => ({
      key,
      operator: operators[operator]!,
      values: values ?? [],
    }),
  );
  return [...labels, ...expressions];
}

/** True when a selector that is not empty matches the labels. */
export function selects(
  selector: LabelSelectorObject | undefined,
  labels: Readonly<Record<string, string>> = {},
): boolean {
  const requirements = toSelector(selector) ?? [];
  return requirements.length > 0 && matchesLabels(requirements, labels);
}
