// CronJobs: a schedule, a time zone, and the template of a Job.
// Upstream: k8s.io/kubernetes/pkg/registry/batch/cronjob/strategy.go,
// pkg/apis/batch/v1/defaults.go, pkg/apis/batch/validation/validation.go (ValidateCronJobSpec…).
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import type { Decoded, Json } from "homeostat/api";
import type { CronJob, CronJobSpec, JobSpec } from "homeostat/k8s/batch/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { generationChanged, nameWarnings } from "../core/workload/workload-warnings.ts";
import { gatedStrategy } from "../core/workload/workload-strategy.ts";
import { containerCells, selectorCell } from "../core/workload/workload.ts";
import { statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, formatAge, nameOf } from "../printers/cells.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { selectorType } from "../validation/label-selectors.ts";
import { scheduleFault, zoneFault } from "./cron-schedule.ts";
import { setTemplateJobDefaults } from "./job-defaults.ts";
import { jobSpecWarnings } from "./job.ts";
import { validateJobSpec } from "./validate-job-spec.ts";

const jobPath = "spec.jobTemplate.spec";
/** The controller appends 11 characters. */
const maxNameLength = 52;
const concurrencyPolicies = ["Allow", "Forbid", "Replace"];

const jobSpecOf = ({ spec }: Decoded<CronJob>): Decoded<JobSpec> => spec?.jobTemplate?.spec ?? {};

export const cronJob: KindDefinition<Decoded<CronJob>> = {
  ...gvk("batch/v1", "CronJob"),
  defaults(object) {
    const spec = object.spec ?? {};
    setTemplateJobDefaults(jobSpecOf(object));
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
  },
  strategy: {
    ...gatedStrategy<Decoded<CronJob>>((object) =>
      dropDisabledFields(jobSpecOf(object).template?.spec ?? {}),
    ),
    validateCreate: (object) => [
      ...finalizerErrors(object),
      ...validateSpec(object),
      ...validateNameLength(object.metadata?.name ?? ""),
    ],
    validateUpdate: (object, old) => [...finalizerErrors(object), ...validateSpec(object, old)],
    warningsOnCreate: (object) => [
      ...nameWarnings(object),
      ...jobSpecWarnings(jobSpecOf(object), jobPath),
    ],
    warningsOnUpdate: (object, old) => [
      ...(generationChanged(object, old) ? jobSpecWarnings(jobSpecOf(object), jobPath) : []),
      ...(object.spec?.schedule?.includes("TZ")
        ? [
            "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
          ]
        : []),
    ],
  },
  subresources: {
    status: { ...statusStrategy, metadataChanges: "common", validateUpdate: () => [] },
  },
  cells,
};

const validateNameLength = (name: string): FieldError[] =>
  errorIf(Buffer.byteLength(name) > maxNameLength, () =>
    fieldError.invalid("metadata.name", name, `must be no more than ${maxNameLength} characters`),
  );

function validateSpec(object: Decoded<CronJob>, old?: Decoded<CronJob>): FieldError[] {
  const spec = object.spec ?? {};
  const oldSpec = old && (old.spec ?? {});
  const zone = spec.timeZone ?? undefined;
  return [
    ...validateSchedule(spec.schedule ?? "", zone, oldSpec),
    ...nonNegative(Number(spec.startingDeadlineSeconds ?? 0), "spec.startingDeadlineSeconds"),
    ...(oldSpec && (oldSpec.timeZone ?? undefined) === zone ? [] : validateTimeZone(zone)),
    ...validateConcurrencyPolicy(spec.concurrencyPolicy),
    ...validateJobTemplate(jobSpecOf(object), old && jobSpecOf(old)),
    ...nonNegative(spec.successfulJobsHistoryLimit ?? 0, "spec.successfulJobsHistoryLimit"),
    ...nonNegative(spec.failedJobsHistoryLimit ?? 0, "spec.failedJobsHistoryLimit"),
  ];
}

function validateConcurrencyPolicy(
  policy: Decoded<CronJobSpec>["concurrencyPolicy"],
): FieldError[] {
  const path = "spec.concurrencyPolicy";
  if (!policy) return [fieldError.required(path, "")];
  return errorIf(!concurrencyPolicies.includes(policy), () =>
    fieldError.notSupported(path, policy, concurrencyPolicies),
  );
}

function validateSchedule(
  schedule: string,
  zone: string | undefined,
  oldSpec: Decoded<CronJobSpec> | undefined,
): FieldError[] {
  const path = "spec.schedule";
  if (!schedule) return [fieldError.required(path, "")];
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [fieldError.invalid(path, schedule, fault)];
  if (!schedule.includes("TZ")) return errors;
  if (!oldSpec || !(oldSpec.schedule ?? "").includes("TZ"))
    return [
      ...errors,
      fieldError.invalid(
        path,
        schedule,
        "cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
      ),
    ];
  return zone === undefined
    ? errors
    : [
        ...errors,
        fieldError.invalid(
          path,
          schedule,
          "cannot use both timeZone field and TZ or CRON_TZ in schedule",
        ),
      ];
}

function validateTimeZone(zone: string | undefined): FieldError[] {
  const path = "spec.timeZone";
  if (zone === undefined) return [];
  if (!zone) return [fieldError.invalid(path, zone, "timeZone must be nil or non-empty string")];
  const unreadable = zone
    .split("/")
    .some(
      (part) =>
        part === "." ||
        part === ".." ||
        part.startsWith("-") ||
        !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part),
    );
  if (unreadable) return [fieldError.invalid(path, zone, `unknown time zone ${zone}`)];
  const fault = zoneFault(zone);
  return [
    ...errorIf(zone.toLowerCase() === "local", () =>
      fieldError.invalid(
        path,
        zone,
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
      ),
    ),
    ...(fault ? [fieldError.invalid(path, zone, fault)] : []),
  ];
}

function validateJobTemplate(spec: Decoded<JobSpec>, old?: Decoded<JobSpec>): FieldError[] {
  const selector = spec.selector ?? undefined;
  return [
    ...validateJobSpec(spec, jobPath, old),
    ...errorIf(selector, () =>
      fieldError.invalidInternal(
        `${jobPath}.selector`,
        [selectorType, selector],
        "`selector` will be auto-generated",
      ),
    ),
    ...errorIf(spec.manualSelector === true, () =>
      fieldError.notSupported(`${jobPath}.manualSelector`, true, ["nil", "false"]),
    ),
  ];
}

function cells(object: Decoded<CronJob>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  const jobSpec = jobSpecOf(object);
  const lastScheduleTime = object.status?.lastScheduleTime;
  return [
    nameOf(object),
    spec.schedule ?? "",
    spec.timeZone ?? "<none>",
    suspendCell(spec.suspend),
    object.status?.active?.length ?? 0,
    isSet(lastScheduleTime) ? formatAge(lastScheduleTime, ages) : "<none>",
    ageOf(object, ages),
    ...containerCells(jobSpec.template ?? {}),
    selectorCell(jobSpec.selector),
  ];
}

function suspendCell(suspend: boolean | null | undefined): string {
  if (!isSet(suspend)) return "<unset>";
  return suspend ? "True" : "False";
}
