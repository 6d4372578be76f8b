// Selectors of pods, as the constraints of another pod have them. Pure.
// Upstream: k8s.io/kubernetes/pkg/scheduler/framework/types.go (AffinityTerm, mergeAffinityLabels).
import { type LabelSelector, matchesLabels } from "homeostat/api";
import { toSelector } from "../component-helpers/meta/label-selector.ts";
import type { LabelSelector as LabelSelectorObject } from "homeostat/k8s/meta/v1";
import type { Pod } from "homeostat/k8s/core/v1";

/**
 * A selector with the pod's own values of the labels `keys` added. An undefined selector selects
 * nothing.
 */
export function selectorFor(
  pod: Pod,
  selector: LabelSelectorObject | undefined,
  keys: readonly string[] = [],
): LabelSelector | undefined {
  const labels = pod.metadata.labels ?? {};
  const own = keys
    .filter((key) => key in labels)
    .map((key) => ({ key, operator: "in" as const, values: [labels[key]!] }));
  const requirements = toSelector(selector);
  return requirements && [...requirements, ...own];
}

/** Whether the selector matches the labels of a pod. */
export const selects = (selector: LabelSelector | undefined, { metadata }: Pod): boolean =>
  selector !== undefined && matchesLabels(selector, metadata.labels ?? {});
