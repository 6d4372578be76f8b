// Jobs: a selector of their own making, and specs that hardly change.
// Upstream: k8s.io/kubernetes/pkg/registry/batch/job/strategy.go,
// pkg/apis/batch/validation/validation.go, pkg/api/job/warnings.go.
import { cloneJson, dnsLabelFaults, equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  invalidInternal,
  quoteGo,
  required,
} from "../../registry/field-error.ts";
import { validateObjectMeta } from "../../registry/object-meta/validate-object-meta.ts";
import type { WriteContext } from "../../registry/served-resource.ts";
import {
  choose,
  containerCells,
  isChosen,
  labelErrors,
  nameWarnings,
  selectorCell,
  templateOf,
} from "../apps/selected-template.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { podWarnings } from "../core/pod/pod-warnings.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import {
  immutableSelector,
  selectorType,
  validateLabelSelector,
} from "../object/label-selectors.ts";
import { nameIsDnsSubdomain } from "../object/names.ts";
import { ageOf, formatDuration, nameOf } from "../object/printing.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  textMapAt,
} from "../object/read-fields.ts";
import {
  finalizerErrors,
  immutable,
  immutableInternal,
  keepOld,
  metadataOf,
  objectAt,
  specStatusRules,
  statusViewRules,
  stringAt,
} from "../object/strategy.ts";
import { setJobSpecDefaults } from "./job-defaults.ts";
import { validateJobSpec } from "./validate-job-spec.ts";
import { validateJobStatusUpdate } from "./validate-job-status.ts";

const prefix = "batch.kubernetes.io/";

export const job: BuiltinKind = {
  group: "batch",
  version: "v1",
  kind: "Job",
  defaults(object) {
    const spec = objectAt(object, "spec");
    setJobSpecDefaults(spec);
    // one map for both, as upstream has it: labels generated below then show in the Job, too
    showTemplateLabels(object);
  },
  rules: {
    ...specStatusRules,
    defaultPropagation: "Orphan",
    propagationWarning:
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning",
    prepareForCreate(object, context) {
      if (objectAt(object, "spec")["manualSelector"] !== true) generateSelector(object);
      specStatusRules.prepareForCreate!(object, context);
      dropDisabledFields(objectAt(templateOf(object), "spec"));
    },
    prepareForUpdate(object, old, context) {
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      specStatusRules.prepareForUpdate!(object, old, context);
    },
    validateCreate(object, context) {
      for (const text of nameWarnings(object)) context.warn(text);
      warnOfJobSpec(objectAt(object, "spec"), "spec", context);
      const errors = validateJob(object);
      showTemplateLabels(object);
      return errors;
    },
    validateUpdate(object, old, context) {
      if (
        Number(metadataOf(object)["generation"] ?? 0) !== Number(metadataOf(old)["generation"] ?? 0)
      )
        warnOfJobSpec(objectAt(object, "spec"), "spec", context);
      return [
        ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
        ...validateJob(object, old),
        ...finalizerErrors(object),
        ...changeErrors(object, old),
      ];
    },
  },
  views: { status: { ...statusViewRules, validateUpdate: validateJobStatusUpdate } },
  selectable: {
    names: ["status.successful"],
    extract: (object) => ({
      "status.successful": String(numberAt(objectAt(object, "status"), "succeeded")),
    }),
    unknownMessage: (name) => `field label ${quoteGo(name)} not supported for Job`,
  },
  cells,
};

/** Warnings about a Job's spec, or a CronJob's template of one. */
export function warnOfJobSpec(spec: JsonObject, path: string, context: WriteContext): void {
  if (
    stringAt(spec, "completionMode") === "Indexed" &&
    numberAt(spec, "completions") > 100_000 &&
    numberAt(spec, "parallelism") > 10_000
  ) {
    context.warn(
      `${path}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
    );
  }
  for (const text of podWarnings(objectAt(spec, "template"), `${path}.template`))
    context.warn(text);
}

/**
 * A Job without labels has those of its template. Upstream defaults them whenever it decodes, and
 * so shows labels that it has generated in a Job that had none only after it was stored; they are
 * not validated.
 */
function showTemplateLabels(object: JsonObject): void {
  const labels = mutableAt(objectAt(templateOf(object), "metadata"), "labels");
  if (labels && !hasItems(metadataOf(object)["labels"])) metadataOf(object)["labels"] = labels;
}

function generateSelector(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  const { name = "", uid = "" } = metadataOf(object);
  const template = objectAt(spec, "template");
  const own = metadataOf(object)["labels"];
  const isShared = own !== undefined && own === objectAt(template, "metadata")["labels"];
  const labels = {
    "job-name": name,
    [`${prefix}job-name`]: name,
    "controller-uid": uid,
    [`${prefix}controller-uid`]: uid,
    ...textMapAt(objectAt(template, "metadata"), "labels"),
  };
  spec["template"] = { ...template, metadata: { ...objectAt(template, "metadata"), labels } };
  if (isShared) metadataOf(object)["labels"] = { ...labels };
  const selector = objectAt(spec, "selector");
  spec["selector"] = {
    ...selector,
    matchLabels: { [`${prefix}controller-uid`]: uid, ...textMapAt(selector, "matchLabels") },
  };
}

function validateJob(object: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const completions = numberAt(spec, "completions");
  const name = stringAt(metadataOf(object), "name");
  const lastHost = `${name}-${completions - 1}`;
  const tooLong =
    stringAt(spec, "completionMode") === "Indexed" &&
    completions > 0 &&
    dnsLabelFaults(lastHost).length > 0;
  return [
    ...finalizerErrors(object),
    ...generatedErrors(object, old),
    ...wholeSpecErrors(spec, old && objectAt(old, "spec")),
    ...(tooLong
      ? [
          invalid(
            "metadata.name",
            name,
            `will not able to create pod with invalid DNS label: ${lastHost}`,
          ),
        ]
      : []),
  ];
}

function wholeSpecErrors(spec: JsonObject, old?: JsonObject): FieldError[] {
  const selector = mutableAt(spec, "selector");
  const chosen = choose(selector);
  return [
    ...validateJobSpec(spec, "spec", old),
    ...(selector
      ? validateLabelSelector(selector, "spec.selector")
      : [required("spec.selector", "")]),
    ...(chosen === undefined
      ? []
      : labelErrors(chosen, objectAt(spec, "template"), "spec.template")),
  ];
}

/** The labels and the selector that the server has made must still be there. */
function generatedErrors(object: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const selector = mutableAt(spec, "selector");
  if (spec["manualSelector"] === true || !selector) return [];
  const name = stringAt(metadataOf(object), "name");
  const uid = stringAt(metadataOf(object), "uid");
  const oldLabels = old && textMapAt(objectAt(templateOf(old), "metadata"), "labels");
  const prefixed =
    !oldLabels ||
    (Object.hasOwn(oldLabels, `${prefix}job-name`) &&
      Object.hasOwn(oldLabels, `${prefix}controller-uid`));
  const expected: Record<string, string> = {
    "controller-uid": uid,
    "job-name": name,
    ...(prefixed ? { [`${prefix}controller-uid`]: uid, [`${prefix}job-name`]: name } : {}),
  };
  const labels = textMapAt(objectAt(templateOf(object), "metadata"), "labels");
  const chosen = choose(selector);
  return [
    ...(uid ? [] : [required("metadata.uid", "")]),
    ...Object.keys(expected).flatMap((key) => hasLabel(labels, key, expected[key]!)),
    ...(chosen !== undefined && !isChosen(chosen, expected)
      ? [
          invalidInternal(
            "spec.selector",
            [selectorType, selector],
            "`selector` not auto-generated",
          ),
        ]
      : []),
  ];
}

function hasLabel(
  labels: Readonly<Record<string, string>>,
  key: string,
  expected: string,
): FieldError[] {
  const path = `spec.template.metadata.labels[${key}]`;
  if (!Object.hasOwn(labels, key)) return [required(path, `must be '${expected}'`)];
  return labels[key] === expected ? [] : [invalid(path, { ...labels }, `must be '${expected}'`)];
}

function changeErrors(object: JsonObject, old: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const before = objectAt(old, "spec");
  const frozen = (field: string, type: string): FieldError[] =>
    immutableInternal(`spec.${field}`, [type, spec[field]], before[field]);
  return [
    ...wholeSpecErrors(spec, before),
    ...completionErrors(spec, before),
    ...immutableSelector(
      "spec.selector",
      mutableAt(spec, "selector"),
      mutableAt(before, "selector"),
    ),
    ...templateErrors(spec, before, objectAt(old, "status")),
    ...frozen("completionMode", "*string"),
    ...frozen("podFailurePolicy", "*batch.PodFailurePolicy"),
    ...frozen("backoffLimitPerIndex", "*int"),
    ...frozen("managedBy", "*string"),
    ...frozen("successPolicy", "*batch.SuccessPolicy"),
  ];
}

/** Indexed jobs may grow and shrink, parallelism with them. */
function completionErrors(spec: JsonObject, before: JsonObject): FieldError[] {
  const now = spec["completions"] ?? null;
  if (stringAt(spec, "completionMode") !== "Indexed")
    return immutable("spec.completions", now, before["completions"] ?? null);
  if (equalJson(now, before["completions"] ?? null) || now === null) return [];
  return Number(now) === numberAt(spec, "parallelism")
    ? []
    : [invalid("spec.completions", now, "can only be modified in tandem with spec.parallelism")];
}

/** A job that is suspended and idle may still get other resources and be scheduled elsewhere. */
function templateErrors(spec: JsonObject, before: JsonObject, oldStatus: JsonObject): FieldError[] {
  const suspended = before["suspend"] === true;
  const toldSuspended = itemsAt(oldStatus, "conditions").some(
    (condition) =>
      stringAt(condition, "type") === "Suspended" && stringAt(condition, "status") === "True",
  );
  const isIdle =
    suspended &&
    (!isSet(oldStatus["startTime"]) || toldSuspended) &&
    numberAt(oldStatus, "active") === 0;
  const template = objectAt(spec, "template");
  if (!isIdle)
    return immutableInternal(
      "spec.template",
      ["core.PodTemplateSpec", template],
      before["template"],
    );
  const allowed = cloneJson(objectAt(before, "template"));
  adoptScheduling(allowed, template);
  const podSpec = objectAt(template, "spec");
  const allowedSpec = objectAt(allowed, "spec");
  for (const list of ["containers", "initContainers"]) {
    const now = itemsAt(podSpec, list);
    const kept = itemsAt(allowedSpec, list);
    if (now.length === kept.length)
      kept.forEach(
        (container, i) =>
          void (
            stringAt(container, "name") === stringAt(now[i]!, "name") &&
            keepOld(container, now[i]!, "resources")
          ),
      );
  }
  return immutableInternal("spec.template.spec", ["core.PodSpec", podSpec], allowedSpec);
}

function adoptScheduling(allowed: JsonObject, template: JsonObject): void {
  const spec = objectAt(allowed, "spec");
  const now = objectAt(template, "spec");
  const { nodeAffinity: _, ...others } = objectAt(spec, "affinity");
  const nodeAffinity = objectAt(now, "affinity")["nodeAffinity"];
  const affinity: JsonObject = { ...others, ...(isSet(nodeAffinity) ? { nodeAffinity } : {}) };
  if (Object.keys(affinity).length || (isSet(spec["affinity"]) && isSet(now["affinity"])))
    spec["affinity"] = affinity;
  else delete spec["affinity"];
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"]) keepOld(spec, now, field);
  for (const field of ["annotations", "labels"])
    keepOld(metadataOf(allowed), objectAt(template, "metadata"), field);
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const status = objectAt(object, "status");
  return [
    nameOf(object),
    stateCell(object, status),
    completionCell(objectAt(object, "spec"), status),
    durationCell(status, nowMs),
    ageOf(object, nowMs),
    ...containerCells(templateOf(object)),
    selectorCell(object),
  ];
}

function stateCell(object: JsonObject, status: JsonObject): string {
  const is = (type: string): boolean =>
    stringAt(
      itemsAt(status, "conditions").find((condition) => stringAt(condition, "type") === type) ?? {},
      "status",
    ) === "True";
  if (is("Complete")) return "Complete";
  if (is("Failed")) return "Failed";
  if (isSet(metadataOf(object)["deletionTimestamp"])) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running";
}

function completionCell(spec: JsonObject, status: JsonObject): string {
  const succeeded = numberAt(status, "succeeded");
  const completions = optionalNumberAt(spec, "completions");
  const parallelism = numberAt(spec, "parallelism");
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(status: JsonObject, nowMs: number): string {
  const start = Date.parse(stringAt(status, "startTime"));
  const end = Date.parse(stringAt(status, "completionTime"));
  if (Number.isNaN(start)) return "";
  return formatDuration((Number.isNaN(end) ? nowMs : end) - start);
}
