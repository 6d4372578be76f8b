// Jobs: the server generates the selector and labels, and most of the spec is immutable.
// Upstream: k8s.io/kubernetes/pkg/registry/batch/job/strategy.go, pkg/api/job/warnings.go,
// pkg/printers/internalversion/printers.go (printJob).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { formatDuration } from "../../apimachinery/values/human-duration.ts";
import type { Decoded, Json } from "homeostat/api";
import type { Job, JobSpec, JobStatus } from "homeostat/k8s/batch/v1";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { isStatusConditionTrue } from "../../apimachinery/meta/conditions.ts";
import { hasItems, isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { podTemplateWarnings } from "../core/pod/warnings/pod-warnings.ts";
import { workloadStrategy } from "../core/workload/workload-strategy.ts";
import { generationChanged, nameWarnings } from "../core/workload/workload-warnings.ts";
import { containerCells, selectorCell, templateOf } from "../core/workload/workload.ts";
import { statusStrategy } from "../definition/default-strategy.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { setJobSpecDefaults } from "./job-defaults.ts";
import { validateJobStatusUpdate } from "./validate-job-status.ts";
import { jobLabelPrefix, validateJob, validateJobUpdate } from "./validate-job.ts";

export const job: KindDefinition<Decoded<Job>> = {
  ...gvk("batch/v1", "Job"),
  defaults(object) {
    setJobSpecDefaults(object.spec ?? {});
    // Both share one map, as upstream's do: labels generated below then show in the Job, too.
    setDefaultLabels(object);
  },
  strategy: {
    ...workloadStrategy,
    defaultPropagation: "Orphan",
    propagationWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    prepareForCreate(object, context) {
      if (object.spec?.manualSelector !== true) generateSelector(object);
      workloadStrategy.prepareForCreate!(object, context);
    },
    validateCreate(object) {
      const errors = validateJob(object);
      setDefaultLabels(object);
      return errors;
    },
    validateUpdate: validateJobUpdate,
    warningsOnCreate: (object) => [
      ...nameWarnings(object),
      ...jobSpecWarnings(object.spec ?? {}, "spec"),
    ],
    warningsOnUpdate: (object, old) =>
      generationChanged(object, old) ? jobSpecWarnings(object.spec ?? {}, "spec") : [],
  },
  subresources: { status: { ...statusStrategy, validateUpdate: validateJobStatusUpdate } },
  selectable: {
    names: ["status.successful"],
    extract: ({ status }) => ({ "status.successful": String(status?.succeeded ?? 0) }),
    unknownMessage: (name) => `field label ${quoteGo(name)} not supported for Job`,
  },
  cells,
};

/** Warnings about the spec of a Job, or of a CronJob's template. */
export function jobSpecWarnings(spec: Decoded<JobSpec>, path: string): string[] {
  const isLarge =
    spec.completionMode === "Indexed" &&
    (spec.completions ?? 0) > 100_000 &&
    (spec.parallelism ?? 0) > 10_000;
  return [
    ...(isLarge
      ? [
          `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
        ]
      : []),
    ...podTemplateWarnings(spec.template ?? {}, `${path}.template`),
  ];
}

/**
 * A Job without labels gets those of its template. Upstream defaults them on each decoding, and so
 * shows generated labels in a Job that had none only after it was stored; it does not validate
 * them.
 */
function setDefaultLabels(object: Decoded<Job>): void {
  const labels = templateOf(object).metadata?.labels;
  if (labels && !hasItems(object.metadata?.labels)) metadataOf(object).labels = labels;
}

function generateSelector(object: Decoded<Job>): void {
  const spec = (object.spec ??= {});
  const metadata = metadataOf(object);
  const template = spec.template ?? {};
  const name = metadata.name ?? "";
  const uid = metadata.uid ?? "";
  const isShared = metadata.labels !== undefined && metadata.labels === template.metadata?.labels;
  const labels = {
    "job-name": name,
    [`${jobLabelPrefix}job-name`]: name,
    "controller-uid": uid,
    [`${jobLabelPrefix}controller-uid`]: uid,
    ...template.metadata?.labels,
  };
  spec.template = { ...template, metadata: { ...template.metadata, labels } };
  if (isShared) metadata.labels = { ...labels };
  spec.selector = {
    ...spec.selector,
    matchLabels: { [`${jobLabelPrefix}controller-uid`]: uid, ...spec.selector?.matchLabels },
  };
}

function cells(object: Decoded<Job>, ages: CellAges): readonly Json[] {
  return [
    nameOf(object),
    statusCell(object),
    completionsCell(object.spec ?? {}, object.status ?? {}),
    durationCell(object.status ?? {}, ages),
    ageOf(object, ages),
    ...containerCells(templateOf(object)),
    selectorCell(object.spec?.selector),
  ];
}

function statusCell({ metadata, status }: Decoded<Job>): string {
  const isTrue = (type: string): boolean => isStatusConditionTrue(status?.conditions, type);
  if (isTrue("Complete")) return "Complete";
  if (isTrue("Failed")) return "Failed";
  if (isSet(metadata?.deletionTimestamp)) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(isTrue) ?? "Running";
}

function completionsCell(spec: Decoded<JobSpec>, status: Decoded<JobStatus>): string {
  const succeeded = status.succeeded ?? 0;
  const parallelism = spec.parallelism ?? 0;
  if (isSet(spec.completions)) return `${succeeded}/${spec.completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell({ startTime, completionTime }: Decoded<JobStatus>, ages: CellAges): string {
  const start = Date.parse(startTime ?? "");
  const end = Date.parse(completionTime ?? "");
  if (Number.isNaN(start)) return "";
  return Number.isNaN(end) ? ages.since(start) : formatDuration(end - start);
}
