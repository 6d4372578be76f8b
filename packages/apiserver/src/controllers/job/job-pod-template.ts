// The template of a job's pod: with the tracking finalizer and, if Indexed, with the index in its
// hostname, labels, annotations and environment. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/job (job_controller.go: manageJob;
// indexed_job_utils.go).
import type { Job } from "homeostat/k8s/batch/v1";
import type { Pod, Container, PodTemplateSpec, PodSpec } from "homeostat/k8s/core/v1";
import { trackingFinalizer } from "./job-state.ts";
import { judgeFailure } from "./pod-failure-policy.ts";
import {
  countedFailures,
  failuresAnnotation,
  ignoredAnnotation,
  ignoredFailures,
  indexAnnotation,
} from "./pod-index.ts";

/** The server appends five random characters to a prefix. */
const longestPrefix = 58;
const indexVariable = "JOB_COMPLETION_INDEX";

/** The template for one pod. `predecessor` is the failed pod of the index that it replaces. */
export function jobPodTemplate(
  job: Job,
  index: number | undefined,
  predecessor: Pod | undefined,
): PodTemplateSpec {
  const { metadata = {}, spec = { containers: [] } } = job.spec.template;
  const { finalizers = [] } = metadata;
  const tracked = {
    ...metadata,
    finalizers: finalizers.includes(trackingFinalizer)
      ? finalizers
      : [...finalizers, trackingFinalizer],
  };
  if (index === undefined) return { metadata: tracked, spec };
  const ownIndex = { [indexAnnotation]: String(index) };
  const failures =
    job.spec.backoffLimitPerIndex === undefined ? {} : failureCounts(job, predecessor);
  return {
    metadata: {
      ...tracked,
      labels: { ...metadata.labels, ...ownIndex },
      annotations: { ...metadata.annotations, ...ownIndex, ...failures },
    },
    spec: { ...spec, ...withIndexVariable(spec), hostname: `${job.metadata.name}-${index}` },
  };
}

/** The name prefix of the pods of an index. */
export function podNamePrefix({ metadata: { name } }: Job, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, longestPrefix - end.length)}${end}`;
}

function withIndexVariable({
  containers,
  initContainers,
}: PodSpec): Pick<PodSpec, "containers" | "initContainers"> {
  return {
    containers: containers.map(addIndexVariable),
    ...(initContainers ? { initContainers: initContainers.map(addIndexVariable) } : {}),
  };
}

/** A variable of that name in the template is kept. */
function addIndexVariable(container: Container): Container {
  const { env = [] } = container;
  if (env.some(({ name }) => name === indexVariable)) return container;
  const variable = {
    name: indexVariable,
    valueFrom: { fieldRef: { fieldPath: `metadata.labels['${indexAnnotation}']` } },
  };
  return { ...container, env: [...env, variable] };
}

function failureCounts(job: Job, predecessor: Pod | undefined): Record<string, string> {
  if (!predecessor) return { [failuresAnnotation]: "0" };
  const { counts } = judgeFailure(job, predecessor);
  const ignored = ignoredFailures(predecessor) + (counts ? 0 : 1);
  return {
    [failuresAnnotation]: String(countedFailures(predecessor) + (counts ? 1 : 0)),
    ...(ignored > 0 ? { [ignoredAnnotation]: String(ignored) } : {}),
  };
}
