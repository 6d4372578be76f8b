// A Job and its updates.
// Upstream: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go (ValidateJob,
// validateGeneratedSelector, ValidateJobSpecUpdate, validatePodTemplateUpdate).
import { cloneJson, type Decoded, dnsLabelFaults } from "homeostat/api";
import type { Job, JobSpec, JobStatus } from "homeostat/k8s/batch/v1";
import type { Container, PodTemplateSpec } from "homeostat/k8s/core/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { validateObjectMeta } from "../../apimachinery/meta/validate-object-meta.ts";
import { validateTemplateLabels } from "../core/workload/validate-workload-template.ts";
import { templateOf } from "../core/workload/workload.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { finalizerErrors, immutable, immutableInternal } from "../validation/validate-object.ts";
import {
  labelSelectorAsSelector,
  selectorMatches,
} from "../validation/label-selector-as-selector.ts";
import {
  immutableSelector,
  selectorType,
  validateLabelSelector,
} from "../validation/label-selectors.ts";
import { nameIsDnsSubdomain } from "../validation/names.ts";
import { validateJobSpec } from "./validate-job-spec.ts";

/** The prefix of the labels that the server generates for the pods of a Job. */
export const jobLabelPrefix = "batch.kubernetes.io/";

/** Every error of a Job. */
export function validateJob(object: Decoded<Job>, old?: Decoded<Job>): FieldError[] {
  return [
    ...finalizerErrors(object),
    ...validateGeneratedSelector(object, old),
    ...validateSpecWithSelector(object.spec ?? {}, old && (old.spec ?? {})),
    ...validatePodHostnames(object),
  ];
}

/** Every error of an update. */
export function validateJobUpdate(object: Decoded<Job>, old: Decoded<Job>): FieldError[] {
  return [
    ...validateObjectMeta(object, { namespaced: true }, nameIsDnsSubdomain),
    ...validateJob(object, old),
    ...finalizerErrors(object),
    ...validateSpecUpdate(object.spec ?? {}, old),
  ];
}

/** Pods of an Indexed Job have host names that end in the index. */
function validatePodHostnames({ metadata, spec }: Decoded<Job>): FieldError[] {
  const completions = spec?.completions ?? 0;
  if (spec?.completionMode !== "Indexed" || completions <= 0) return [];
  const name = metadata?.name ?? "";
  const hostname = `${name}-${completions - 1}`;
  return errorIf(dnsLabelFaults(hostname).length, () =>
    fieldError.invalid(
      "metadata.name",
      name,
      `will not able to create pod with invalid DNS label: ${hostname}`,
    ),
  );
}

function validateSpecWithSelector(spec: Decoded<JobSpec>, old?: Decoded<JobSpec>): FieldError[] {
  const selector = labelSelectorAsSelector(spec.selector);
  return [
    ...validateJobSpec(spec, "spec", old),
    ...(spec.selector
      ? validateLabelSelector(spec.selector, "spec.selector")
      : [fieldError.required("spec.selector", "")]),
    ...(selector === undefined ? [] : validateTemplateLabels(spec.template ?? {}, selector)),
  ];
}

/** Requires the selector and the labels that the server has generated. */
function validateGeneratedSelector(object: Decoded<Job>, old?: Decoded<Job>): FieldError[] {
  const { manualSelector, selector } = object.spec ?? {};
  if (manualSelector === true || !selector) return [];
  const name = object.metadata?.name ?? "";
  const uid = object.metadata?.uid ?? "";
  const expected: Record<string, string> = {
    "controller-uid": uid,
    "job-name": name,
    ...(hasPrefixedLabels(old)
      ? { [`${jobLabelPrefix}controller-uid`]: uid, [`${jobLabelPrefix}job-name`]: name }
      : {}),
  };
  const labels = templateOf(object).metadata?.labels ?? {};
  const labelSelector = labelSelectorAsSelector(selector);
  return [
    ...errorIf(!uid, () => fieldError.required("metadata.uid", "")),
    ...Object.keys(expected).flatMap((key) => validateLabel(labels, key, expected[key]!)),
    ...errorIf(labelSelector !== undefined && !selectorMatches(labelSelector, expected), () =>
      fieldError.invalidInternal(
        "spec.selector",
        [selectorType, selector],
        "`selector` not auto-generated",
      ),
    ),
  ];
}

/** Jobs that older versions of Kubernetes have created lack these labels. */
function hasPrefixedLabels(old: Decoded<Job> | undefined): boolean {
  if (!old) return true;
  const labels = templateOf(old).metadata?.labels ?? {};
  return ["job-name", "controller-uid"].every((name) =>
    Object.hasOwn(labels, `${jobLabelPrefix}${name}`),
  );
}

function validateLabel(
  labels: Readonly<Record<string, string>>,
  key: string,
  expected: string,
): FieldError[] {
  const path = `spec.template.metadata.labels[${key}]`;
  if (!Object.hasOwn(labels, key)) return [fieldError.required(path, `must be '${expected}'`)];
  return errorIf(labels[key] !== expected, () =>
    fieldError.invalid(path, { ...labels }, `must be '${expected}'`),
  );
}

/** Immutable fields with upstream's types of them, in upstream's order. */
const immutableFields = [
  ["completionMode", "*string"],
  ["podFailurePolicy", "*batch.PodFailurePolicy"],
  ["backoffLimitPerIndex", "*int"],
  ["managedBy", "*string"],
  ["successPolicy", "*batch.SuccessPolicy"],
] as const;

function validateSpecUpdate(spec: Decoded<JobSpec>, old: Decoded<Job>): FieldError[] {
  const oldSpec = old.spec ?? {};
  return [
    ...validateSpecWithSelector(spec, oldSpec),
    ...validateCompletionsUpdate(spec, oldSpec),
    ...immutableSelector("spec.selector", spec.selector, oldSpec.selector),
    ...validateTemplateUpdate(spec, oldSpec, old.status ?? {}),
    ...immutableFields.flatMap(([field, type]) =>
      immutableInternal(`spec.${field}`, [type, spec[field]], oldSpec[field]),
    ),
  ];
}

/** Only Indexed Jobs can be resized, together with their parallelism. */
function validateCompletionsUpdate(
  spec: Decoded<JobSpec>,
  oldSpec: Decoded<JobSpec>,
): FieldError[] {
  const completions = spec.completions ?? null;
  const old = oldSpec.completions ?? null;
  if (spec.completionMode !== "Indexed") return immutable("spec.completions", completions, old);
  if (completions === old || completions === null || completions === (spec.parallelism ?? 0))
    return [];
  return [
    fieldError.invalid(
      "spec.completions",
      completions,
      "can only be modified in tandem with spec.parallelism",
    ),
  ];
}

/** A suspended Job without pods accepts other resources and scheduling directives. */
function validateTemplateUpdate(
  spec: Decoded<JobSpec>,
  oldSpec: Decoded<JobSpec>,
  oldStatus: Decoded<JobStatus>,
): FieldError[] {
  const template = spec.template ?? {};
  if (!isSuspendedWithoutPods(oldSpec, oldStatus))
    return immutableInternal(
      "spec.template",
      ["core.PodTemplateSpec", template],
      oldSpec.template ?? {},
    );
  const allowed = cloneJson(oldSpec.template ?? {}) as Decoded<PodTemplateSpec>;
  adoptSchedulingDirectives(allowed, template);
  const podSpec = template.spec ?? {};
  adoptResources(allowed.spec?.containers ?? [], podSpec.containers ?? []);
  adoptResources(allowed.spec?.initContainers ?? [], podSpec.initContainers ?? []);
  return immutableInternal("spec.template.spec", ["core.PodSpec", podSpec], allowed.spec ?? {});
}

function isSuspendedWithoutPods(
  spec: Decoded<JobSpec>,
  { active, conditions, startTime }: Decoded<JobStatus>,
): boolean {
  const hasCondition = (conditions ?? []).some(
    ({ type, status }) => type === "Suspended" && status === "True",
  );
  return spec.suspend === true && (!isSet(startTime) || hasCondition) && (active ?? 0) === 0;
}

function adoptResources(
  allowed: readonly Decoded<Container>[],
  containers: readonly Decoded<Container>[],
): void {
  if (allowed.length !== containers.length) return;
  allowed.forEach((container, i) => {
    const now = containers[i]!;
    if ((container.name ?? "") === (now.name ?? "")) keepOld(container, now, "resources");
  });
}

function adoptSchedulingDirectives(
  allowed: Decoded<PodTemplateSpec>,
  template: Decoded<PodTemplateSpec>,
): void {
  const spec = allowed.spec ?? {};
  const now = template.spec ?? {};
  const { nodeAffinity: _, ...others } = spec.affinity ?? {};
  const nodeAffinity = now.affinity?.nodeAffinity;
  const affinity = { ...others, ...(isSet(nodeAffinity) ? { nodeAffinity } : {}) };
  if (Object.keys(affinity).length || (isSet(spec.affinity) && isSet(now.affinity)))
    spec.affinity = affinity;
  else delete spec.affinity;
  for (const field of ["nodeSelector", "tolerations", "schedulingGates"] as const)
    keepOld(spec, now, field);
  for (const field of ["annotations", "labels"] as const)
    keepOld(metadataOf(allowed), template.metadata ?? {}, field);
}
