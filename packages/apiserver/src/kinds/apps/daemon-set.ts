// DaemonSets: upstream's internal type has a template generation, which increments with the
// template; apps/v1 keeps it in an annotation.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/daemonset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go}, pkg/apis/apps/validation.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { type Decoded, equalJson, isObject, type Json, type JsonObject } from "homeostat/api";
import type {
  DaemonSet,
  DaemonSetStatus,
  DaemonSetUpdateStrategy,
  RollingUpdateDaemonSet,
} from "homeostat/k8s/apps/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError, quoteGo } from "../../apimachinery/errors/field-error.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "../core/pod/pod-template-spec.ts";
import { validateCollisionCount, validateStatusCounts } from "../core/workload/replica-counts.ts";
import {
  validateRestartPolicy,
  validateTemplateLabels,
} from "../core/workload/validate-workload-template.ts";
import {
  dropDisabledTemplateFields,
  workloadStrategy,
} from "../core/workload/workload-strategy.ts";
import { templateWarnings } from "../core/workload/workload-warnings.ts";
import { containerCells, selectorCell, templateOf } from "../core/workload/workload.ts";
import { bumpGeneration, keepOld, statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { GoDecodeError } from "../serializer/go-decoder.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { labelSelectorAsSelector } from "../validation/label-selector-as-selector.ts";
import {
  formatLabels,
  immutableSelector,
  isEmptySelector,
  validateLabelSelector,
  selectorType,
} from "../validation/label-selectors.ts";
import * as intOrPercent from "../validation/int-or-percent.ts";

const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSet: KindDefinition<Decoded<DaemonSet>> = {
  ...gvk("apps/v1", "DaemonSet"),
  convertUnset: (object) => setTemplateGeneration(object, 0),
  internalMetadata: withoutTemplateGeneration,
  defaults: setDefaults,
  strategy: {
    ...workloadStrategy,
    prepareForCreate(object, context) {
      workloadStrategy.prepareForCreate!(object, context);
      setTemplateGeneration(object, Math.max(1, templateGenerationOf(object)));
    },
    prepareForUpdate(object, old) {
      dropDisabledTemplateFields(object);
      keepOld(object, old, "status");
      const changed = !equalJson(templateOf(object), templateOf(old));
      setTemplateGeneration(object, templateGenerationOf(old) + (changed ? 1 : 0));
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate: (object) => [...finalizerErrors(object), ...validateSpec(object)],
    validateUpdate: (object, old) => [
      ...finalizerErrors(object),
      ...immutableSelector("spec.selector", object.spec?.selector, old.spec?.selector),
      ...validateSpec(object, old),
    ],
    warningsOnCreate: templateWarnings,
    warningsOnUpdate: (object, old) =>
      templateGenerationOf(object) === templateGenerationOf(old) ? [] : templateWarnings(object),
  },
  subresources: {
    status: {
      ...statusStrategy,
      prepareForUpdate(object, old) {
        keepOld(object, old, "spec");
        setTemplateGeneration(object, templateGenerationOf(old));
      },
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...validateStatus(object.status ?? {}),
        ...validateCollisionCount(object, old),
      ],
    },
  },
  cells,
};

/** Upstream's internal type has the generation in its spec. */
function withoutTemplateGeneration(metadata: JsonObject): JsonObject {
  if (!isObject(metadata.annotations) || !(templateGeneration in metadata.annotations))
    return metadata;
  const { [templateGeneration]: _, ...kept } = metadata.annotations;
  const { annotations: __, ...rest } = metadata;
  return Object.keys(kept).length ? { ...metadata, annotations: kept } : rest;
}

/** 0 without the annotation. */
function templateGenerationOf({ metadata }: Decoded<DaemonSet>): number {
  const text = metadata?.annotations?.[templateGeneration] ?? "";
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(object: Decoded<DaemonSet>, generation: number): void {
  const metadata = metadataOf(object);
  metadata.annotations = { ...metadata.annotations, [templateGeneration]: String(generation) };
}

function setDefaults(object: Decoded<DaemonSet>): void {
  const spec = object.spec ?? {};
  setPodTemplateDefaults(spec.template);
  assertTemplateGeneration(object);
  setTemplateGeneration(object, templateGenerationOf(object));
  const strategy = (spec.updateStrategy ??= {});
  strategy.type ||= "RollingUpdate";
  if (strategy.type === "RollingUpdate") {
    const rolling = (strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  } else if (strategy.rollingUpdate) {
    // Upstream's internal type has values where apps/v1 has pointers.
    strategy.rollingUpdate.maxUnavailable ??= 0;
    strategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

/** Upstream parses the annotation when it decodes. Throws GoDecodeError for malformed numbers. */
function assertTemplateGeneration({ metadata }: Decoded<DaemonSet>): void {
  const text = metadata?.annotations?.[templateGeneration];
  if (text === undefined) return;
  const digits = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (digits === undefined || BigInt.asIntN(64, digits) !== digits)
    throw new GoDecodeError(
      `strconv.ParseInt: parsing ${quoteGo(text)}: ${digits === undefined ? "invalid syntax" : "value out of range"}`,
    );
}

function validateSpec(object: Decoded<DaemonSet>, old?: Decoded<DaemonSet>): FieldError[] {
  const spec = object.spec ?? {};
  const { selector } = spec;
  const labelSelector = labelSelectorAsSelector(selector);
  const template = templateOf(object);
  return [
    ...(selector ? validateLabelSelector(selector, "spec.selector") : []),
    ...(labelSelector === undefined ? [] : validateTemplateLabels(template, labelSelector)),
    ...errorIf(selector && isEmptySelector(selector), () =>
      fieldError.invalidInternal(
        "spec.selector",
        [selectorType, selector],
        "empty selector is invalid for daemonset",
      ),
    ),
    ...validatePodTemplate(template, "spec.template", old && templateOf(old)),
    ...validateRestartPolicy(template, "DaemonSet"),
    ...nonNegative(spec.minReadySeconds ?? 0, "spec.minReadySeconds"),
    ...nonNegative(templateGenerationOf(object), "spec.templateGeneration"),
    ...validateUpdateStrategy(spec.updateStrategy ?? {}),
    ...nonNegative(spec.revisionHistoryLimit ?? 0, "spec.revisionHistoryLimit"),
  ];
}

function validateUpdateStrategy(strategy: Decoded<DaemonSetUpdateStrategy>): FieldError[] {
  const path = "spec.updateStrategy";
  const { type, rollingUpdate: rolling } = strategy;
  if (type === "OnDelete") return [];
  if (type === "RollingUpdate")
    return rolling
      ? validateRollingUpdate(rolling, `${path}.rollingUpdate`)
      : [fieldError.required(`${path}.rollingUpdate`, "")];
  return [
    fieldError.notSupportedInternal(
      path,
      ["apps.DaemonSetUpdateStrategy", strategy],
      ["RollingUpdate", "OnDelete"],
    ),
  ];
}

function validateRollingUpdate(
  rolling: Decoded<RollingUpdateDaemonSet>,
  path: string,
): FieldError[] {
  const { maxUnavailable: unavailable, maxSurge: surge } = rolling;
  const bounds = [unavailable, surge].filter((bound) => intOrPercent.valueOf(bound) !== 0).length;
  return [
    ...intOrPercent.validatePositive(unavailable, `${path}.maxUnavailable`),
    ...intOrPercent.validatePositive(surge, `${path}.maxSurge`),
    ...intOrPercent.validateNotMoreThan100Percent(unavailable, `${path}.maxUnavailable`),
    ...intOrPercent.validateNotMoreThan100Percent(surge, `${path}.maxSurge`),
    ...errorIf(bounds === 2, () =>
      fieldError.invalid(
        `${path}.maxSurge`,
        surge,
        "may not be set when maxUnavailable is non-zero",
      ),
    ),
    ...errorIf(bounds === 0, () =>
      fieldError.required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0"),
    ),
  ];
}

const validateStatus = (status: Decoded<DaemonSetStatus>): FieldError[] =>
  validateStatusCounts(status, {
    counts: [
      "currentNumberScheduled",
      "numberMisscheduled",
      "desiredNumberScheduled",
      "numberReady",
      "observedGeneration",
      "updatedNumberScheduled",
      "numberAvailable",
      "numberUnavailable",
      "collisionCount",
    ],
  });

function cells(object: Decoded<DaemonSet>, ages: CellAges): readonly Json[] {
  const status = object.status ?? {};
  const template = templateOf(object);
  return [
    nameOf(object),
    status.desiredNumberScheduled ?? 0,
    status.currentNumberScheduled ?? 0,
    status.numberReady ?? 0,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    formatLabels(template.spec?.nodeSelector ?? {}),
    ageOf(object, ages),
    ...containerCells(template),
    selectorCell(object.spec?.selector),
  ];
}
