// DaemonSets: a template generation that nobody sees moves with the template.
// Upstream: k8s.io/kubernetes/pkg/registry/apps/daemonset/strategy.go,
// pkg/apis/apps/v1/{defaults.go,conversion.go} (the template generation as an annotation),
// pkg/apis/apps/validation.
import { equalJson, type Json, type JsonObject } from "homeostat/api";
import {
  type FieldError,
  invalid,
  notSupportedInternal,
  quoteGo,
  required,
} from "../../registry/field-error.ts";
import { dropDisabledFields } from "../core/pod/drop-disabled-fields.ts";
import { nonNegative } from "../core/pod/field-rules.ts";
import { setPodTemplateDefaults, validatePodTemplate } from "../core/pod/pod-template.ts";
import type { BuiltinKind } from "../object/builtin-kind.ts";
import { GoDecodeError } from "../object/go-decoder.ts";
import {
  formatLabels,
  immutableSelector,
  isEmptySelector,
  validateLabelSelector,
} from "../object/label-selectors.ts";
import { ageOf, nameOf } from "../object/printing.ts";
import {
  mutableAt,
  numberAt,
  optionalNumberAt,
  setIfEmpty,
  setIfNil,
  textMapAt,
} from "../object/read-fields.ts";
import {
  bumpGeneration,
  finalizerErrors,
  keepOld,
  metadataOf,
  objectAt,
  specStatusRules,
  statusViewRules,
  stringAt,
} from "../object/strategy.ts";
import { amountOf, intOrPercentErrors, overAllErrors } from "./rolling-update.ts";
import {
  choose,
  collisionErrors,
  containerCells,
  countErrors,
  endlessErrors,
  labelErrors,
  selectorCell,
  templateOf,
  warnOfTemplate,
} from "./selected-template.ts";

const templateGeneration = "deprecated.daemonset.template.generation";

export const daemonSet: BuiltinKind = {
  group: "apps",
  version: "v1",
  kind: "DaemonSet",
  defaults: setDefaults,
  rules: {
    ...specStatusRules,
    prepareForCreate(object, context) {
      specStatusRules.prepareForCreate!(object, context);
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      setTemplateGeneration(object, Math.max(1, templateGenerationOf(object)));
    },
    prepareForUpdate(object, old) {
      dropDisabledFields(objectAt(templateOf(object), "spec"));
      keepOld(object, old, "status");
      const changed = !equalJson(templateOf(object), templateOf(old));
      setTemplateGeneration(object, templateGenerationOf(old) + (changed ? 1 : 0));
      bumpGeneration(object, old, ["spec"]);
    },
    validateCreate(object, context) {
      warnOfTemplate(object, context);
      return [...finalizerErrors(object), ...validateSpec(object)];
    },
    validateUpdate(object, old, context) {
      if (templateGenerationOf(object) !== templateGenerationOf(old))
        warnOfTemplate(object, context);
      return [
        ...finalizerErrors(object),
        ...immutableSelector(
          "spec.selector",
          mutableAt(objectAt(object, "spec"), "selector"),
          mutableAt(objectAt(old, "spec"), "selector"),
        ),
        ...validateSpec(object, old),
      ];
    },
  },
  views: {
    status: {
      ...statusViewRules,
      validateUpdate: (object, old) => [
        ...finalizerErrors(object),
        ...statusErrors(objectAt(object, "status")),
        ...collisionErrors(object, old),
      ],
    },
  },
  cells,
};

/** apps/v1 has no field for it: an annotation carries it, and goes with the last of it. */
function templateGenerationOf(object: JsonObject): number {
  const text = textMapAt(metadataOf(object), "annotations")[templateGeneration] ?? "";
  return /^[+-]?[0-9]+$/.test(text) ? Number(text) : 0;
}

function setTemplateGeneration(object: JsonObject, generation: number): void {
  metadataOf(object)["annotations"] = {
    ...objectAt(metadataOf(object), "annotations"),
    [templateGeneration]: String(generation),
  };
}

function setDefaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  setPodTemplateDefaults(mutableAt(spec, "template"));
  assertTemplateGeneration(object);
  setTemplateGeneration(object, templateGenerationOf(object));
  setIfNil(spec, "updateStrategy", {});
  const strategy = objectAt(spec, "updateStrategy");
  setIfEmpty(strategy, "type", "RollingUpdate");
  if (strategy["type"] === "RollingUpdate") {
    setIfNil(strategy, "rollingUpdate", {});
    const rolling = objectAt(strategy, "rollingUpdate");
    setIfNil(rolling, "maxUnavailable", 1);
    setIfNil(rolling, "maxSurge", 0);
  } else fillAmounts(mutableAt(strategy, "rollingUpdate"));
  setIfNil(spec, "revisionHistoryLimit", 10);
}

/** Upstream's internal type has amounts where apps/v1 has pointers to them. */
function fillAmounts(rolling: JsonObject | undefined): void {
  for (const field of ["maxUnavailable", "maxSurge"]) if (rolling) setIfNil(rolling, field, 0);
}

/** The annotation is a number upstream, and whatever is none cannot be read. */
function assertTemplateGeneration(object: JsonObject): void {
  const text = textMapAt(metadataOf(object), "annotations")[templateGeneration];
  if (text === undefined) return;
  const digits = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace("+", "")) : undefined;
  if (digits === undefined || BigInt.asIntN(64, digits) !== digits)
    throw new GoDecodeError(
      `strconv.ParseInt: parsing ${quoteGo(text)}: ${digits === undefined ? "invalid syntax" : "value out of range"}`,
    );
}

function validateSpec(object: JsonObject, old?: JsonObject): FieldError[] {
  const spec = objectAt(object, "spec");
  const selector = mutableAt(spec, "selector");
  const chosen = choose(selector);
  const template = objectAt(spec, "template");
  const history = optionalNumberAt(spec, "revisionHistoryLimit");
  return [
    ...(selector ? validateLabelSelector(selector, "spec.selector") : []),
    ...(chosen === undefined ? [] : labelErrors(chosen, template, "spec.template")),
    ...(selector && isEmptySelector(selector)
      ? [invalid("spec.selector", selector, "empty selector is invalid for daemonset")]
      : []),
    ...validatePodTemplate(template, "spec.template", old && templateOf(old)),
    ...endlessErrors(template, "spec.template", "DaemonSet"),
    ...nonNegative(numberAt(spec, "minReadySeconds"), "spec.minReadySeconds"),
    ...nonNegative(templateGenerationOf(object), "spec.templateGeneration"),
    ...strategyErrors(objectAt(spec, "updateStrategy")),
    ...(history === undefined ? [] : nonNegative(history, "spec.revisionHistoryLimit")),
  ];
}

function strategyErrors(strategy: JsonObject): FieldError[] {
  const path = "spec.updateStrategy";
  const type = stringAt(strategy, "type");
  const rolling = mutableAt(strategy, "rollingUpdate");
  if (type === "OnDelete") return [];
  if (type === "RollingUpdate")
    return rolling
      ? rollingErrors(rolling, `${path}.rollingUpdate`)
      : [required(`${path}.rollingUpdate`, "")];
  return [
    notSupportedInternal(
      path,
      ["apps.DaemonSetUpdateStrategy", strategy],
      ["RollingUpdate", "OnDelete"],
    ),
  ];
}

function rollingErrors(rolling: JsonObject, path: string): FieldError[] {
  const unavailable = rolling["maxUnavailable"];
  const surge = rolling["maxSurge"];
  const both = amountOf(unavailable) !== 0 && amountOf(surge) !== 0;
  const neither = amountOf(unavailable) === 0 && amountOf(surge) === 0;
  return [
    ...intOrPercentErrors(unavailable, `${path}.maxUnavailable`),
    ...intOrPercentErrors(surge, `${path}.maxSurge`),
    ...overAllErrors(unavailable, `${path}.maxUnavailable`),
    ...overAllErrors(surge, `${path}.maxSurge`),
    ...(both
      ? [invalid(`${path}.maxSurge`, surge, "may not be set when maxUnavailable is non-zero")]
      : []),
    ...(neither ? [required(`${path}.maxUnavailable`, "cannot be 0 when maxSurge is 0")] : []),
  ];
}

const statusErrors = (status: JsonObject): FieldError[] =>
  countErrors(status, [
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
  ]);

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const status = objectAt(object, "status");
  const counts = [
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
  ].map((field) => numberAt(status, field));
  return [
    nameOf(object),
    ...counts,
    formatLabels(textMapAt(objectAt(templateOf(object), "spec"), "nodeSelector")),
    ageOf(object, nowMs),
    ...containerCells(templateOf(object)),
    selectorCell(object),
  ];
}
