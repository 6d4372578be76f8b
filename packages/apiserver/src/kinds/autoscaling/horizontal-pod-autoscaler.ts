// HorizontalPodAutoscalers in both versions; they have no generation.
// Upstream: k8s.io/kubernetes/pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go,
// pkg/printers/internalversion/printers.go.
import type { CellAges } from "../../apimachinery/rest/table-printer.ts";
import { cloneJson, type Decoded, type Json } from "homeostat/api";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "homeostat/k8s/autoscaling/v1";
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "homeostat/k8s/autoscaling/v2";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { keepOld, statusStrategy } from "../definition/default-strategy.ts";
import { finalizerErrors } from "../validation/validate-object.ts";
import { gvk, type KindDefinition, type StrategyOverrides } from "../definition/kind-definition.ts";
import { ageOf, nameOf } from "../printers/cells.ts";
import { nonNegative } from "../validation/field-rules.ts";
import { dropRoundTripAnnotations } from "./autoscaler-annotations.ts";
import { fromV1, toV1 } from "./autoscaler-conversion.ts";
import { setAutoscalerDefaults } from "./autoscaler-defaults.ts";
import { validateAutoscalerSpec } from "./validate-autoscaler.ts";

/** Both versions share it: strategies see the stored version. */
const strategy: StrategyOverrides<Decoded<HorizontalPodAutoscaler>> = {
  resetFields: [["f:status"]],
  prepareForCreate: (object) => void (object.status = {}),
  prepareForUpdate: (object, old) => keepOld(object, old, "status"),
  validateCreate: (object) => [
    ...finalizerErrors(object),
    ...validateAutoscalerSpec(object.spec ?? {}),
  ],
  validateUpdate: (object, old) => [
    ...finalizerErrors(object),
    ...validateAutoscalerSpec(object.spec ?? {}, old.spec ?? {}),
  ],
};

const status: StrategyOverrides<Decoded<HorizontalPodAutoscaler>> = {
  ...statusStrategy,
  validateUpdate: (object) => [
    ...finalizerErrors(object),
    ...nonNegative(object.status?.currentReplicas ?? 0, "status.currentReplicas"),
    ...nonNegative(object.status?.desiredReplicas ?? 0, "status.desiredReplicas"),
  ],
};

/** autoscaling/v2, the stored version. */
export const autoscalerV2: KindDefinition<Decoded<HorizontalPodAutoscaler>> = {
  ...gvk("autoscaling/v2", "HorizontalPodAutoscaler"),
  defaults(object) {
    setAutoscalerDefaults(object);
    dropRoundTripAnnotations(object);
  },
  strategy,
  subresources: { status },
  cells,
};

/** autoscaling/v1: a field for the CPU, annotations for the rest. */
export const autoscalerV1: KindDefinition = {
  ...gvk("autoscaling/v1", "HorizontalPodAutoscaler"),
  storage: { group: "autoscaling", version: "v2", fromStorage: toV1, toStorage: fromV1 },
  defaults: roundTrip,
  strategy,
  subresources: { status },
  cells: (object: Decoded<AutoscalerV1>, ages) => cells(fromV1(object), ages),
};

/** Converts an object to the stored version and back, as upstream's defaulting does. */
function roundTrip(object: Decoded<AutoscalerV1>, print: PrintInternal): void {
  if (object.spec) object.spec.minReplicas ??= 1;
  const { apiVersion, kind } = object;
  const converted = toV1(fromV1(cloneJson(object)), print);
  for (const field of ["metadata", "spec", "status"] as const) keepOld(object, converted, field);
  Object.assign(object, { apiVersion, kind });
}

function cells(object: Decoded<HorizontalPodAutoscaler>, ages: CellAges): readonly Json[] {
  const spec = object.spec ?? {};
  return [
    nameOf(object),
    `${spec.scaleTargetRef?.kind ?? ""}/${spec.scaleTargetRef?.name ?? ""}`,
    metricsCell(spec.metrics ?? [], object.status?.currentMetrics ?? []),
    isSet(spec.minReplicas) ? String(spec.minReplicas) : "<unset>",
    spec.maxReplicas ?? 0,
    object.status?.currentReplicas ?? 0,
    ageOf(object, ages),
  ];
}

const maxShown = 2;

function metricsCell(
  metrics: readonly Decoded<MetricSpec>[],
  statuses: readonly Decoded<MetricStatus>[],
): string {
  if (!metrics.length) return "<none>";
  const texts = metrics.map((metric, i) => formatMetric(metric, statuses[i]));
  const list = texts.slice(0, maxShown).join(", ");
  return texts.length > maxShown ? `${list} + ${texts.length - maxShown} more...` : list;
}

/** The current value of a metric and its target, e.g. `cpu: 12%/80%`. */
function formatMetric(
  metric: Decoded<MetricSpec>,
  status: Decoded<MetricStatus> | undefined,
): string {
  switch (metric.type) {
    case "External":
      return formatValue(metric.external?.target, status?.external?.current);
    case "Object":
      return formatValue(metric.object?.target, status?.object?.current);
    case "Pods":
      return formatAverage(metric.pods?.target, status?.pods?.current);
    case "Resource":
      return `${metric.resource?.name ?? ""}: ${formatResource(metric.resource?.target, status?.resource?.current)}`;
    case "ContainerResource":
      return `${metric.containerResource?.name ?? ""}: ${formatResource(metric.containerResource?.target, status?.containerResource?.current)}`;
    default:
      return "<unknown type>";
  }
}

type Target = Decoded<MetricTarget> | null | undefined;
type Current = Decoded<MetricValueStatus> | null | undefined;

const unknown = "<unknown>";

const formatAverage = (target: Target, current: Current): string =>
  `${current?.averageValue ?? unknown}/${String(target?.averageValue ?? undefined)}`;

const formatValue = (target: Target, current: Current): string =>
  isSet(target?.averageValue)
    ? `${formatAverage(target, current)} (avg)`
    : `${current?.value ?? unknown}/${String(target?.value ?? undefined)}`;

function formatResource(target: Target, current: Current): string {
  if (isSet(target?.averageValue)) return formatAverage(target, current);
  const percent = (value: number | null | undefined, none: string): string =>
    isSet(value) ? `${value}%` : none;
  return `${percent(current?.averageUtilization, unknown)}/${percent(target?.averageUtilization, "<auto>")}`;
}
