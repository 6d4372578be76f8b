// CronJobs: a schedule, a time zone, and the template of a Job.
// Upstream: k8s.io/kubernetes/pkg/registry/batch/cronjob/strategy.go,
// pkg/apis/batch/v1/defaults.go, pkg/apis/batch/validation.
import type { Json, JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  notSupported,
  required,
} from "../../registry/field-error.ts";
import { containerCells, nameWarnings } from "../apps/selected-template.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { nonNegative } from "../core/pod/field-rules.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { formatSelector, selectorType } from "../object/label-selectors.ts";
import { ageOf, formatAge, nameOf } from "../object/printing.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  optionalNumberAt,
  optionalTextAt,
  setIfEmpty,
  setIfNil,
} from "../object/read-fields.ts";
import {
  finalizerErrors,
  metadataOf,
  objectAt,
  specStatusRules,
  statusViewRules,
  stringAt,
} from "../object/strategy.ts";
import { scheduleFault, zoneFault } from "./cron-schedule.ts";
import { setTemplateJobDefaults } from "./job-defaults.ts";
import { warnOfJobSpec } from "./job.ts";
import { validateJobSpec } from "./validate-job-spec.ts";

const jobPath = "spec.jobTemplate.spec";
const longestName = 52;
const policies = ["Allow", "Forbid", "Replace"];

const jobSpecOf = (object: JsonObject): JsonObject =>
  objectAt(objectAt(objectAt(object, "spec"), "jobTemplate"), "spec");

export const cronJob: BuiltinKind = {
  group: "batch",
  version: "v1",
  kind: "CronJob",
  defaults(object) {
    const spec = objectAt(object, "spec");
    setTemplateJobDefaults(jobSpecOf(object));
    setIfEmpty(spec, "concurrencyPolicy", "Allow");
    setIfNil(spec, "suspend", false);
    setIfNil(spec, "successfulJobsHistoryLimit", 3);
    setIfNil(spec, "failedJobsHistoryLimit", 1);
  },
  rules: {
    ...specStatusRules,
    prepareForCreate(object, context) {
      specStatusRules.prepareForCreate!(object, context);
      dropDisabledFields(objectAt(objectAt(jobSpecOf(object), "template"), "spec"));
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(objectAt(objectAt(jobSpecOf(object), "template"), "spec"));
      specStatusRules.prepareForUpdate!(object, old, context);
    },
    validateCreate(object, context) {
      for (const text of nameWarnings(object)) context.warn(text);
      warnOfJobSpec(jobSpecOf(object), jobPath, context);
      const name = stringAt(metadataOf(object), "name");
      return [
        ...finalizerErrors(object),
        ...validateSpec(object),
        ...(Buffer.byteLength(name) > longestName
          ? [invalid("metadata.name", name, `must be no more than ${longestName} characters`)]
          : []),
      ];
    },
    validateUpdate(object, old, context) {
      if (
        Number(metadataOf(object)["generation"] ?? 0) !== Number(metadataOf(old)["generation"] ?? 0)
      )
        warnOfJobSpec(jobSpecOf(object), jobPath, context);
      if (stringAt(objectAt(object, "spec"), "schedule").includes("TZ"))
        context.warn(
          "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
        );
      return [...finalizerErrors(object), ...validateSpec(object, old)];
    },
  },
  views: { status: { ...statusViewRules, validateUpdate: () => [] } },
  cells,
};

function validateSpec(object: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const oldSpec = old && objectAt(old, "spec");
  const policy = stringAt(spec, "concurrencyPolicy");
  const zone = optionalTextAt(spec, "timeZone");
  const limit = (field: string): FieldError[] => {
    const value = optionalNumberAt(spec, field);
    return value === undefined ? [] : nonNegative(value, `spec.${field}`);
  };
  return [
    ...scheduleErrors(stringAt(spec, "schedule"), zone, oldSpec),
    ...limit("startingDeadlineSeconds"),
    ...(oldSpec && optionalTextAt(oldSpec, "timeZone") === zone ? [] : zoneErrors(zone)),
    ...(policy
      ? policies.includes(policy)
        ? []
        : [notSupported("spec.concurrencyPolicy", policy, policies)]
      : [required("spec.concurrencyPolicy", "")]),
    ...templateErrors(jobSpecOf(object), old && jobSpecOf(old)),
    ...limit("successfulJobsHistoryLimit"),
    ...limit("failedJobsHistoryLimit"),
  ];
}

function scheduleErrors(
  schedule: string,
  zone: string | undefined,
  oldSpec: JsonObject | undefined,
): FieldError[] {
  const path = "spec.schedule";
  if (!schedule) return [required(path, "")];
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalid(path, schedule, fault)];
  if (!schedule.includes("TZ")) return errors;
  if (!oldSpec || !stringAt(oldSpec, "schedule").includes("TZ"))
    return [
      ...errors,
      invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
    ];
  return zone === undefined
    ? errors
    : [
        ...errors,
        invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"),
      ];
}

function zoneErrors(zone: string | undefined): FieldError[] {
  const path = "spec.timeZone";
  if (zone === undefined) return [];
  if (!zone) return [invalid(path, zone, "timeZone must be nil or non-empty string")];
  const unreadable = zone
    .split("/")
    .some(
      (part) =>
        part === "." ||
        part === ".." ||
        part.startsWith("-") ||
        !/^[A-Za-z.\-_0-9+]{1,14}$/.test(part),
    );
  if (unreadable) return [invalid(path, zone, `unknown time zone ${zone}`)];
  const fault = zoneFault(zone);
  return [
    ...(zone.toLowerCase() === "local"
      ? [
          invalid(
            path,
            zone,
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
          ),
        ]
      : []),
    ...(fault ? [invalid(path, zone, fault)] : []),
  ];
}

function templateErrors(spec: JsonObject, old?: JsonObject): FieldError[] {
  const selector = mutableAt(spec, "selector");
  return [
    ...validateJobSpec(spec, jobPath, old),
    ...(selector
      ? [
          invalidInternal(
            `${jobPath}.selector`,
            [selectorType, selector],
            "`selector` will be auto-generated",
          ),
        ]
      : []),
    ...(spec["manualSelector"] === true
      ? [notSupported(`${jobPath}.manualSelector`, true, ["nil", "false"])]
      : []),
  ];
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const jobSpec = jobSpecOf(object);
  const selector = mutableAt(jobSpec, "selector");
  const suspended = isSet(spec["suspend"])
    ? spec["suspend"] === true
      ? "True"
      : "False"
    : "<unset>";
  const last = status["lastScheduleTime"];
  return [
    nameOf(object),
    stringAt(spec, "schedule"),
    optionalTextAt(spec, "timeZone") ?? "<none>",
    suspended,
    itemsAt(status, "active").length,
    isSet(last) ? formatAge(last, nowMs) : "<none>",
    ageOf(object, nowMs),
    ...containerCells(objectAt(jobSpec, "template")),
    selector ? formatSelector(selector) : "<none>",
  ];
}
