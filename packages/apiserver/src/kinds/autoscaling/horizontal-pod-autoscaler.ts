// HorizontalPodAutoscalers in both versions; they have no generation.
// Upstream: k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go,
// pkg/printers/internalversion/printers.go.
import { cloneJson, type Json, type JsonObject } from "homeostat/api";
import { nonNegative } from "../validation/field-rules.ts";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import type { KindDefinition, StrategyOverrides } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import {
  isSet,
  itemsAt,
  mutableAt,
  numberAt,
  optionalNumberAt,
  setIfNil,
  objectAt,
  stringAt,
} from "../../apimachinery/meta/read-fields.ts";
import { finalizerErrors, keepOld, statusStrategy } from "../definition/default-strategy.ts";
import { dropCarried } from "./autoscaler-annotations.ts";
import { fromV1, toV1 } from "./autoscaler-conversion.ts";
import { setAutoscalerDefaults } from "./autoscaler-defaults.ts";
import { validateAutoscalerSpec } from "./validate-autoscaler.ts";

const strategy: StrategyOverrides = {
  resetFields: [["f:status"]],
  prepareForCreate: (object) => void (object["status"] = {}),
  prepareForUpdate: (object, old) => keepOld(object, old, "status"),
  validateCreate: (object) => [
    ...finalizerErrors(object),
    ...validateAutoscalerSpec(objectAt(object, "spec")),
  ],
  validateUpdate: (object, old) => [
    ...finalizerErrors(object),
    ...validateAutoscalerSpec(objectAt(object, "spec"), objectAt(old, "spec")),
  ],
};

const subresources = {
  status: {
    ...statusStrategy,
    validateUpdate: (object) => [
      ...finalizerErrors(object),
      ...["currentReplicas", "desiredReplicas"].flatMap((field) =>
        nonNegative(numberAt(objectAt(object, "status"), field), `status.${field}`),
      ),
    ],
  } satisfies StrategyOverrides,
};

/** autoscaling/v2, which is what is stored. */
export const autoscalerV2: KindDefinition = {
  group: "autoscaling",
  version: "v2",
  kind: "HorizontalPodAutoscaler",
  defaults(object) {
    setAutoscalerDefaults(object);
    dropCarried(object);
  },
  strategy,
  subresources,
  cells,
};

/** autoscaling/v1: a field for the CPU, annotations for the rest. */
export const autoscalerV1: KindDefinition = {
  group: "autoscaling",
  version: "v1",
  kind: "HorizontalPodAutoscaler",
  storage: { group: "autoscaling", version: "v2", fromStorage: toV1, toStorage: fromV1 },
  defaults: canonize,
  strategy,
  subresources,
  cells: (object, nowMs) => cells(fromV1(object), nowMs),
};

/** What a round trip through the storage version makes of an object. */
function canonize(object: JsonObject, print: PrintInternal): void {
  setIfNil(objectAt(object, "spec"), "minReplicas", 1);
  const { apiVersion, kind } = object;
  const whole = toV1(fromV1(cloneJson(object)), print);
  for (const field of ["metadata", "spec", "status"]) keepOld(object, whole, field);
  Object.assign(object, { apiVersion, kind });
}

function cells(object: JsonObject, nowMs: number): readonly Json[] {
  const spec = objectAt(object, "spec");
  const status = objectAt(object, "status");
  const target = objectAt(spec, "scaleTargetRef");
  const min = optionalNumberAt(spec, "minReplicas");
  return [
    nameOf(object),
    `${stringAt(target, "kind")}/${stringAt(target, "name")}`,
    metricsCell(itemsAt(spec, "metrics"), itemsAt(status, "currentMetrics")),
    min === undefined ? "<unset>" : String(min),
    numberAt(spec, "maxReplicas"),
    numberAt(status, "currentReplicas"),
    ageOf(object, nowMs),
  ];
}

const shown = 2;

function metricsCell(metrics: readonly JsonObject[], statuses: readonly JsonObject[]): string {
  if (!metrics.length) return "<none>";
  const texts = metrics.map((metric, i) => metricText(metric, statuses[i]));
  const list = texts.slice(0, shown).join(", ");
  return texts.length > shown ? `${list} + ${texts.length - shown} more...` : list;
}

function metricText(metric: JsonObject, status: JsonObject | undefined): string {
  const type = stringAt(metric, "type");
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const source = objectAt(metric, field);
  const target = objectAt(source, "target");
  const reported = status && mutableAt(status, field);
  const current = reported && objectAt(reported, "current");
  const unknown = "<unknown>";
  const quantity = (name: "value" | "averageValue"): string =>
    current && isSet(current[name]) ? String(current[name]) : unknown;
  switch (type) {
    case "External":
    case "Object":
      return isSet(target["averageValue"])
        ? `${quantity("averageValue")}/${String(target["averageValue"])} (avg)`
        : `${quantity("value")}/${String(target["value"])}`;
    case "Pods":
      return `${quantity("averageValue")}/${String(target["averageValue"])}`;
    case "Resource":
    case "ContainerResource": {
      const share = (from: JsonObject | undefined, none: string): string =>
        from && isSet(from["averageUtilization"]) ? `${String(from["averageUtilization"])}%` : none;
      const numbers = isSet(target["averageValue"])
        ? `${quantity("averageValue")}/${String(target["averageValue"])}`
        : `${share(current, unknown)}/${share(target, "<auto>")}`;
      return `${stringAt(source, "name")}: ${numbers}`;
    }
    default:
      return "<unknown type>";
  }
}
