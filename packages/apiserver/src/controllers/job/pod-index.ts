// The completion index of a pod and the failure counts of its index, from annotations. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job/indexed_job_utils.go.
import type { Pod } from "homeostat/k8s/core/v1";
import { type IndexSet, toIndexSet } from "./index-set.ts";

/** Both an annotation and a label. */
export const indexAnnotation = "batch.kubernetes.io/job-completion-index";
/** Counted failures of the index before this pod. */
export const failuresAnnotation = "batch.kubernetes.io/job-index-failure-count";
/** Failures of the index before this pod that the pod failure policy ignored. */
export const ignoredAnnotation = "batch.kubernetes.io/job-index-ignored-failure-count";

const largest = 2 ** 31 - 1;

/** The index of a pod; undefined if absent or invalid. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation] ?? "";
  return /^\+?[0-9]+$/.test(text) ? Number(text) : undefined;
}

/** The index of a pod if it is below `completions`. */
export function validIndexOf(pod: Pod, completions: number): number | undefined {
  const index = indexOf(pod);
  return index !== undefined && index < completions ? index : undefined;
}

/** The indexes of pods, including those out of range. */
export const indexesOf = (pods: readonly Pod[]): IndexSet =>
  toIndexSet(pods.flatMap((pod) => indexOf(pod) ?? []));

export const countedFailures = (pod: Pod): number => countIn(pod, failuresAnnotation);
export const ignoredFailures = (pod: Pod): number => countIn(pod, ignoredAnnotation);
export const allFailures = (pod: Pod): number => countedFailures(pod) + ignoredFailures(pod);

/** A count in an annotation; 0 if invalid. */
function countIn({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? "";
  return /^\+?[0-9]+$/.test(text) && Number(text) <= largest ? Number(text) : 0;
}
