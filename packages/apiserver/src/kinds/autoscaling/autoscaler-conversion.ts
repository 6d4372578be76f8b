// HorizontalPodAutoscalers of v1 and v2, which share one storage in v2.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go, v2/defaults.go.
import { isObject, JsonSyntaxError, type Json, type JsonObject, parseJson } from "homeostat/api";
import type { PrintInternal } from "../../apimachinery/errors/field-error.ts";
import {
  hasItems,
  isSet,
  itemsAt,
  mutableAt,
  setIfNil,
  textMapAt,
  objectAt,
} from "../../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import { keepOld } from "../definition/default-strategy.ts";
import { carried, dropCarried } from "./autoscaler-annotations.ts";
import { setAutoscalerDefaults } from "./autoscaler-defaults.ts";
import {
  cpuUtilizationOf,
  fromOldMetric,
  fromOldStatus,
  toOldMetric,
  toOldStatus,
} from "./metric-conversion.ts";

/** The metric for a share of the CPU that pods request. */
export const cpuMetric = (utilization: Json): JsonObject => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization: utilization } },
});

/** A stored object as v1 shows it. */
export function toV1(stored: JsonObject, print: PrintInternal): JsonObject {
  const object: JsonObject = { ...stored, metadata: { ...metadataOf(stored) } };
  dropCarried(object);
  const spec = objectAt(stored, "spec");
  const status = objectAt(stored, "status");
  const metrics = itemsAt(spec, "metrics");
  const utilization = metrics.map((metric) => cpuUtilizationOf(metric, "target")).find(isSet);
  const oldSpec: JsonObject = {
    ...(isSet(utilization) ? { targetCPUUtilizationPercentage: utilization } : {}),
  };
  for (const field of ["scaleTargetRef", "minReplicas", "maxReplicas"])
    keepOld(oldSpec, spec, field);
  const current = itemsAt(status, "currentMetrics")
    .map((metric) => cpuUtilizationOf(metric, "current"))
    .findLast(isSet);
  const oldStatus: JsonObject = {
    ...(isSet(current) ? { currentCPUUtilizationPercentage: current } : {}),
  };
  for (const field of ["observedGeneration", "lastScaleTime", "currentReplicas", "desiredReplicas"])
    keepOld(oldStatus, status, field);
  const annotations = {
    ...textMapAt(metadataOf(object), "annotations"),
    ...carry(spec, status, print),
  };
  if (Object.keys(annotations).length) metadataOf(object)["annotations"] = annotations;
  return { ...object, spec: oldSpec, status: oldStatus };
}

/** What has no field, as annotations. */
function carry(spec: JsonObject, status: JsonObject, print: PrintInternal): Record<string, string> {
  const others = itemsAt(spec, "metrics").filter(
    (metric) => !isSet(cpuUtilizationOf(metric, "target")),
  );
  const behavior = mutableAt(spec, "behavior");
  return {
    ...(others.length ? { [carried.metrics]: JSON.stringify(others.map(toOldMetric)) } : {}),
    ...(hasItems(status["currentMetrics"])
      ? {
          [carried.currentMetrics]: JSON.stringify(
            itemsAt(status, "currentMetrics").map(toOldStatus),
          ),
        }
      : {}),
    ...(behavior
      ? {
          [carried.behavior]: print("autoscaling.HorizontalPodAutoscalerBehavior", behavior),
        }
      : {}),
    ...(hasItems(status["conditions"])
      ? {
          [carried.conditions]: JSON.stringify(itemsAt(status, "conditions").map(orderedCondition)),
        }
      : {}),
  };
}

/** A time is written even where there is none. */
const orderedCondition = (condition: JsonObject): JsonObject => ({
  type: condition["type"] ?? "",
  status: condition["status"] ?? "",
  lastTransitionTime: condition["lastTransitionTime"] ?? null,
  ...Object.fromEntries(
    ["reason", "message"]
      .filter((field) => condition[field])
      .map((field) => [field, condition[field]!]),
  ),
});

/** An object of v1 as it is stored. */
export function fromV1(old: JsonObject): JsonObject {
  const annotations = textMapAt(metadataOf(old), "annotations");
  const object: JsonObject = { ...old, metadata: { ...metadataOf(old) } };
  dropCarried(object);
  const { targetCPUUtilizationPercentage: utilization, ...spec } = objectAt(old, "spec");
  const { currentCPUUtilizationPercentage: current, ...status } = objectAt(old, "status");
  const own = isSet(utilization) ? [cpuMetric(utilization)] : [];
  const metrics = [...(listIn(annotations[carried.metrics]) ?? []).map(fromOldMetric), ...own];
  const behavior = behaviorIn(annotations[carried.behavior]);
  const currentMetrics =
    listIn(annotations[carried.currentMetrics])?.map(fromOldStatus) ??
    (isSet(current)
      ? [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: current } } }]
      : []);
  const conditions = listIn(annotations[carried.conditions]);
  object["spec"] = {
    ...spec,
    metrics: metrics.length ? metrics : [cpuMetric(80)],
    ...(behavior ? { behavior } : {}),
  };
  object["status"] = {
    ...status,
    ...(currentMetrics.length ? { currentMetrics } : {}),
    ...(conditions ? { conditions } : {}),
  };
  setAutoscalerDefaults(object);
  return object;
}

/** What cannot be read is as if it were not there. */
function read(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}

function listIn(text: string | undefined): JsonObject[] | undefined {
  const value = read(text);
  return Array.isArray(value) && value.every(isObject) ? value : undefined;
}

/**
 * The internal form has Go's names; its reader does not care about case. Policies have no defaults
 * here, and must be there.
 */
function behaviorIn(text: string | undefined): JsonObject | undefined {
  const value = read(text);
  if (!isObject(value)) return undefined;
  const lower = lowerNames(value) as JsonObject;
  for (const direction of ["scaleUp", "scaleDown"]) {
    const rules = mutableAt(lower, direction);
    if (rules) setIfNil(rules, "policies", []);
  }
  return isSet(lower["scaleUp"]) || isSet(lower["scaleDown"]) ? lower : undefined;
}

function lowerNames(value: Json): Json {
  if (Array.isArray(value)) return value.map(lowerNames);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== null)
      .map(([name, each]) => [name.charAt(0).toLowerCase() + name.slice(1), lowerNames(each)]),
  );
}
