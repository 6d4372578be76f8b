// HorizontalPodAutoscalers of v1 and v2, which share one storage in v2.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go, v2/defaults.go.
import {
  type Decoded,
  isObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  parseJson,
} from "homeostat/api";
import type { HorizontalPodAutoscaler as AutoscalerV1 } from "homeostat/k8s/autoscaling/v1";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerCondition,
  MetricSpec,
  MetricStatus,
} from "homeostat/k8s/autoscaling/v2";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { dropRoundTripAnnotations, roundTripAnnotations } from "./autoscaler-annotations.ts";
import { cpuMetric, setAutoscalerDefaults } from "./autoscaler-defaults.ts";
import {
  cpuUtilizationOf,
  fromMetricSpecV1,
  fromMetricStatusV1,
  toMetricSpecV1,
  toMetricStatusV1,
} from "./metric-conversion.ts";

/** Copies the fields that are present, null included. */
function pick<T extends object, F extends keyof T>(from: T, ...fields: readonly F[]): Pick<T, F> {
  return Object.fromEntries(
    fields.filter((field) => from[field] !== undefined).map((field) => [field, from[field]]),
  ) as Pick<T, F>;
}

/** Converts a stored object to v1. */
export function toV1(
  stored: Decoded<HorizontalPodAutoscaler>,
  print: PrintInternal,
): Decoded<AutoscalerV1> {
  const spec = stored.spec ?? {};
  const status = stored.status ?? {};
  const utilization = (spec.metrics ?? [])
    .map((metric) => cpuUtilizationOf(metric, "target"))
    .find(isSet);
  const current = (status.currentMetrics ?? [])
    .map((metric) => cpuUtilizationOf(metric, "current"))
    .findLast(isSet);
  const object: Decoded<AutoscalerV1> = {
    ...stored,
    apiVersion: "autoscaling/v1",
    metadata: { ...metadataOf(stored) },
    spec: {
      ...(isSet(utilization) ? { targetCPUUtilizationPercentage: utilization } : {}),
      ...pick(spec, "scaleTargetRef", "minReplicas", "maxReplicas"),
    },
    status: {
      ...(isSet(current) ? { currentCPUUtilizationPercentage: current } : {}),
      ...pick(status, "observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"),
    },
  };
  dropRoundTripAnnotations(object);
  const annotations = { ...object.metadata?.annotations, ...annotationsOf(stored, print) };
  if (Object.keys(annotations).length) metadataOf(object).annotations = annotations;
  return object;
}

/** The annotations for the fields that v1 lacks. */
function annotationsOf(
  { spec, status }: Decoded<HorizontalPodAutoscaler>,
  print: PrintInternal,
): Record<string, string> {
  const { metrics, currentMetrics, conditions, behavior } = roundTripAnnotations;
  const others = (spec?.metrics ?? []).filter(
    (metric) => !isSet(cpuUtilizationOf(metric, "target")),
  );
  return {
    ...(others.length ? { [metrics]: JSON.stringify(others.map(toMetricSpecV1)) } : {}),
    ...(status?.currentMetrics?.length
      ? { [currentMetrics]: JSON.stringify(status.currentMetrics.map(toMetricStatusV1)) }
      : {}),
    ...(spec?.behavior
      ? {
          [behavior]: print("autoscaling.HorizontalPodAutoscalerBehavior", spec.behavior),
        }
      : {}),
    ...(status?.conditions?.length
      ? { [conditions]: JSON.stringify(status.conditions.map(orderedCondition)) }
      : {}),
  };
}

/** In the order of the Go struct, which always writes a time. */
const orderedCondition = (condition: Decoded<HorizontalPodAutoscalerCondition>): JsonObject => ({
  type: condition.type ?? "",
  status: condition.status ?? "",
  lastTransitionTime: condition.lastTransitionTime ?? null,
  ...(condition.reason ? { reason: condition.reason } : {}),
  ...(condition.message ? { message: condition.message } : {}),
});

/** Converts an object of v1 to the stored version. */
export function fromV1(old: Decoded<AutoscalerV1>): Decoded<HorizontalPodAutoscaler> {
  const annotations = old.metadata?.annotations ?? {};
  const { targetCPUUtilizationPercentage: utilization, ...spec } = old.spec ?? {};
  const { currentCPUUtilizationPercentage: current, ...status } = old.status ?? {};
  const metrics = [
    ...(parseList(annotations[roundTripAnnotations.metrics]) ?? []).map(fromMetricSpecV1),
    ...(isSet(utilization) ? [cpuMetric(utilization)] : []),
  ] as Decoded<MetricSpec>[];
  const behavior = parseBehavior(annotations[roundTripAnnotations.behavior]);
  const currentMetrics =
    parseList(annotations[roundTripAnnotations.currentMetrics])?.map(fromMetricStatusV1) ??
    (isSet(current) ? [currentCpu(current)] : []);
  const conditions = parseList(annotations[roundTripAnnotations.conditions]);
  const object: Decoded<HorizontalPodAutoscaler> = {
    ...old,
    apiVersion: "autoscaling/v2",
    metadata: { ...metadataOf(old) },
    spec: {
      ...spec,
      metrics: metrics.length ? metrics : [cpuMetric()],
      ...(behavior ? { behavior } : {}),
    },
    status: {
      ...status,
      ...(currentMetrics.length ? { currentMetrics } : {}),
      ...(conditions ? { conditions } : {}),
    },
  };
  dropRoundTripAnnotations(object);
  setAutoscalerDefaults(object);
  return object;
}

const currentCpu = (averageUtilization: number): Decoded<MetricStatus> => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

/** Malformed JSON counts as absent. */
function parse(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function parseList(text: string | undefined): JsonObject[] | undefined {
  const value = parse(text);
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/**
 * The annotation holds upstream's internal struct, with Go's field names, which its decoder matches
 * in any case. Absent policies become empty ones, which validation refuses.
 */
function parseBehavior(
  text: string | undefined,
): Decoded<HorizontalPodAutoscalerBehavior> | undefined {
  const value = parse(text);
  if (!isObject(value)) return undefined;
  const behavior: Decoded<HorizontalPodAutoscalerBehavior> = lowerNames(value);
  for (const rules of [behavior.scaleUp, behavior.scaleDown]) if (rules) rules.policies ??= [];
  return isSet(behavior.scaleUp) || isSet(behavior.scaleDown) ? behavior : undefined;
}

function lowerNames(object: JsonObject): JsonObject {
  const lower = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(lower);
    return isObject(value) ? lowerNames(value) : value;
  };
  return Object.fromEntries(
    Object.entries(object)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), lower(value)]),
  );
}
