// Turns the LabelSelector of an object into a selector that matches labels.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector).
import {
  type Decoded,
  labelKeyFaults,
  labelValueFaults,
  type LabelSelector,
  matchesLabels,
} from "homeostat/api";
import type { LabelSelector as LabelSelectorField } from "homeostat/k8s/meta/v1";
import { isEmptySelector } from "./label-selectors.ts";

/** A selector; "nothing" and "everything" are upstream's labels.Nothing and labels.Everything. */
export type Selector = "nothing" | "everything" | LabelSelector;

const operators: ReadonlyMap<string, "in" | "notin" | "exists" | "!"> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

/** Returns undefined for an invalid LabelSelector. An absent one matches nothing. */
export function labelSelectorAsSelector(
  selector: Decoded<LabelSelectorField> | null | undefined,
): Selector | undefined {
  if (!selector) return "nothing";
  if (isEmptySelector(selector)) return "everything";
  const requirements = [
    ...Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
      key,
      operator: "=" as const,
      values: [value],
    })),
    ...(selector.matchExpressions ?? []).map(({ key, operator, values }) => ({
      key: key ?? "",
      operator: operators.get(operator ?? ""),
      values: values ?? [],
    })),
  ];
  return requirements.every(isValid) ? (requirements as LabelSelector) : undefined;
}

function isValid({
  key,
  operator,
  values,
}: {
  readonly key: string;
  readonly operator: string | undefined;
  readonly values: readonly string[];
}): boolean {
  const takesSeveral = operator === "in" || operator === "notin";
  const hasRightCount = takesSeveral
    ? values.length > 0
    : operator === "=" || (operator !== undefined && values.length === 0);
  return (
    hasRightCount &&
    !labelKeyFaults(key).length &&
    values.every((value) => !labelValueFaults(value).length)
  );
}

/** Whether the selector matches the labels. */
export function selectorMatches(
  selector: Selector,
  labels: Readonly<Record<string, string>>,
): boolean {
  return selector === "everything" || (selector !== "nothing" && matchesLabels(selector, labels));
}
