// The completion index of a pod, and how often its index has failed before: facts in annotations.
// Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/indexed_job_utils.go.
import type { Pod } from "homeostat/k8s/core/v1";
import { type IndexSet, toIndexSet } from "./index-set.ts";

/** Annotation and label alike. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
/** Failures of the index that counted, before this pod. */
export const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
/** Failures of the index that the job's policy had ignored, before this pod. */
export const ignoredAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

const largest = 2 ** 31 - 1;

/** A pod's index, or undefined when it has none that can be read. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\+?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** A pod's index when it is one of `completions`. */
export function validIndexOf(pod: Pod, completions: number): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < completions ? index : undefined;
}

/** Indexes of pods, whatever their range. */
export const indexesOf = (pods: readonly Pod[]): IndexSet =>
  toIndexSet(pods.flatMap((pod) => indexOf(pod) ?? []));

export const countedFailures = (pod: Pod): number => countIn(pod, failuresAnnotation);
export const ignoredFailures = (pod: Pod): number => countIn(pod, ignoredAnnotation);
export const allFailures = (pod: Pod): number => countedFailures(pod) + ignoredFailures(pod);

/** What is no count is none. */
function countIn({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? "";
  return /^\+?[0-9]+$/.test(text) && Number(text) <= largest ? Number(text) : 0;
}
