// Conversion between the metrics of autoscaling/v2 and those of v1, which stand in annotations.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go,
// k8s.io/api/autoscaling/v1/types.go (MetricSpec, MetricStatus).
import type { Decoded, Json, JsonObject } from "homeostat/api";
import type {
  CrossVersionObjectReference,
  MetricIdentifier,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "homeostat/k8s/autoscaling/v2";
import { isSet } from "../../apimachinery/meta/read-fields.ts";
import { nanoOf } from "../core/resources/resource-lists.ts";

/** A source of a v1 metric: the fields of all types. Its values come from JSON, unchecked. */
interface MetricSourceV1 {
  readonly target?: Decoded<CrossVersionObjectReference> | null;
  readonly name?: Json;
  readonly container?: Json;
  readonly metricName?: Json;
  readonly selector?: Json;
  readonly metricSelector?: Json;
  readonly averageValue?: Json;
  readonly targetValue?: Json;
  readonly targetAverageValue?: Json;
  readonly targetAverageUtilization?: Json;
  readonly currentValue?: Json;
  readonly currentAverageValue?: Json;
  readonly currentAverageUtilization?: Json;
}

/** A metric of v1, or its status. Upstream does not publish the types in its OpenAPI document. */
export interface MetricV1 {
  readonly type?: Json;
  readonly object?: MetricSourceV1 | null;
  readonly pods?: MetricSourceV1 | null;
  readonly resource?: MetricSourceV1 | null;
  readonly containerResource?: MetricSourceV1 | null;
  readonly external?: MetricSourceV1 | null;
}

/** The members that are set, in the given order. */
function members(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Json] => isSet(entry[1])),
  );
}

const metricIdentifier = (name: Json | undefined, selector: Json | undefined): JsonObject =>
  members({ name: name ?? "", selector });

function objectReference(
  reference: Decoded<CrossVersionObjectReference> | null | undefined,
): JsonObject {
  return members({
    kind: reference?.kind ?? "",
    name: reference?.name ?? "",
    apiVersion: reference?.apiVersion || undefined,
  });
}

/** The values of a spec's `target` or of a status's `current`. */
type MetricRole = "target" | "current";

type MetricValues = {
  readonly [role in MetricRole]?: Decoded<MetricTarget> | Decoded<MetricValueStatus> | null;
};

interface ResourceSource extends MetricValues {
  readonly name?: string | null;
  readonly container?: string | null;
}

interface NamedSource extends MetricValues {
  readonly metric?: Decoded<MetricIdentifier> | null;
}

interface ObjectSource extends NamedSource {
  readonly describedObject?: Decoded<CrossVersionObjectReference> | null;
}

/** A metric of v2, or its status. */
interface MetricV2 {
  readonly type?: string | null;
  readonly object?: ObjectSource | null;
  readonly pods?: NamedSource | null;
  readonly resource?: ResourceSource | null;
  readonly containerResource?: ResourceSource | null;
  readonly external?: NamedSource | null;
}

/** Values that v1 requires of a status only. */
const absentValue = { target: undefined, current: "0" };

const resourceV1 = (source: ResourceSource, role: MetricRole): JsonObject =>
  members({
    name: source.name,
    [`${role}AverageUtilization`]: source[role]?.averageUtilization,
    [`${role}AverageValue`]: source[role]?.averageValue ?? absentValue[role],
    container: source.container,
  });

function toMetricV1(metric: MetricV2, role: MetricRole): JsonObject {
  const { object, pods, resource, containerResource, external } = metric;
  return members({
    type: metric.type ?? "",
    object:
      object &&
      members({
        target: objectReference(object.describedObject),
        metricName: object.metric?.name ?? "",
        [`${role}Value`]: object[role]?.value ?? "0",
        selector: object.metric?.selector,
        averageValue: object[role]?.averageValue,
      }),
    pods:
      pods &&
      members({
        metricName: pods.metric?.name ?? "",
        [`${role}AverageValue`]: pods[role]?.averageValue ?? "0",
        selector: pods.metric?.selector,
      }),
    resource: resource && resourceV1(resource, role),
    containerResource: containerResource && resourceV1(containerResource, role),
    external:
      external &&
      members({
        metricName: external.metric?.name ?? "",
        metricSelector: external.metric?.selector,
        [`${role}Value`]: external[role]?.value ?? absentValue[role],
        [`${role}AverageValue`]: external[role]?.averageValue,
      }),
  });
}

/** Converts a metric of v2 to v1. */
export const toMetricSpecV1 = (metric: Decoded<MetricSpec>): JsonObject =>
  toMetricV1(metric, "target");

/** Converts the status of a metric of v2 to v1. */
export const toMetricStatusV1 = (metric: Decoded<MetricStatus>): JsonObject =>
  toMetricV1(metric, "current");

function resourceTargetV2(source: MetricSourceV1): JsonObject {
  const utilization = source.targetAverageUtilization;
  return members({
    name: source.name ?? "",
    container: source.container,
    target: members({
      type: isSet(utilization) ? "Utilization" : "AverageValue",
      averageValue: source.targetAverageValue,
      averageUtilization: utilization,
    }),
  });
}

function objectTargetV2(source: MetricSourceV1): JsonObject {
  const { averageValue } = source;
  const isAverage = isSet(averageValue);
  const isUnused = isAverage && nanoOf(source.targetValue) === 0n;
  return members({
    describedObject: objectReference(source.target),
    target: members({
      type: isAverage ? "AverageValue" : "Value",
      value: isUnused ? undefined : (source.targetValue ?? "0"),
      averageValue,
    }),
    metric: metricIdentifier(source.metricName, source.selector),
  });
}

/** Converts a metric of v1 to v2. */
export function fromMetricSpecV1(metric: MetricV1): JsonObject {
  const { object, pods, resource, containerResource, external } = metric;
  return members({
    type: metric.type ?? "",
    object: object && objectTargetV2(object),
    pods: pods && {
      metric: metricIdentifier(pods.metricName, pods.selector),
      target: { type: "AverageValue", averageValue: pods.targetAverageValue ?? "0" },
    },
    resource: resource && resourceTargetV2(resource),
    containerResource: containerResource && resourceTargetV2(containerResource),
    external: external && {
      metric: metricIdentifier(external.metricName, external.metricSelector),
      target: members({
        type: isSet(external.targetValue) ? "Value" : "AverageValue",
        value: external.targetValue,
        averageValue: external.targetAverageValue,
      }),
    },
  });
}

const resourceCurrentV2 = (source: MetricSourceV1): JsonObject =>
  members({
    name: source.name ?? "",
    container: source.container,
    current: members({
      averageValue: source.currentAverageValue ?? "0",
      averageUtilization: source.currentAverageUtilization,
    }),
  });

/** Converts the status of a metric of v1 to v2. */
export function fromMetricStatusV1(metric: MetricV1): JsonObject {
  const { object, pods, resource, containerResource, external } = metric;
  return members({
    type: metric.type ?? "",
    object: object && {
      metric: metricIdentifier(object.metricName, object.selector),
      current: members({
        value: object.currentValue ?? "0",
        averageValue: object.averageValue,
      }),
      describedObject: objectReference(object.target),
    },
    pods: pods && {
      metric: metricIdentifier(pods.metricName, pods.selector),
      current: { averageValue: pods.currentAverageValue ?? "0" },
    },
    resource: resource && resourceCurrentV2(resource),
    containerResource: containerResource && resourceCurrentV2(containerResource),
    external: external && {
      metric: metricIdentifier(external.metricName, external.metricSelector),
      current: members({
        value: external.currentValue ?? "0",
        averageValue: external.currentAverageValue,
      }),
    },
  });
}

interface CpuMetric {
  readonly type?: string | null;
  readonly resource?: ResourceSource | null;
}

/** The CPU utilization, for which v1 has a field; undefined for other metrics. */
export function cpuUtilizationOf(
  { type, resource }: CpuMetric,
  field: MetricRole,
): number | undefined {
  if (type !== "Resource" || resource?.name !== "cpu") return undefined;
  return resource[field]?.averageUtilization ?? undefined;
}
