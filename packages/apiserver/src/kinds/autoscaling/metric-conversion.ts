// Metrics of autoscaling/v1, which stand in annotations, and those of v2.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v1/conversion.go.
import type { Json, JsonObject } from "homeostat/api";
import { isSet, mutableAt, objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";
import { nanoOf } from "../core/resources/resource-lists.ts";

/** Members that are set, in the order given. */
function members(entries: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(entries).filter((entry): entry is [string, Json] => isSet(entry[1])),
  );
}

const identifier = (name: Json | undefined, selector: Json | undefined): JsonObject =>
  members({ name: name ?? "", selector });
const reference = (source: JsonObject): JsonObject =>
  members({
    kind: source["kind"] ?? "",
    name: source["name"] ?? "",
    apiVersion: source["apiVersion"] || undefined,
  });

/** A metric of v2 as v1 writes it. */
export function toOldMetric(metric: JsonObject): JsonObject {
  const part = (
    name: string,
    convert: (source: JsonObject, target: JsonObject, id: JsonObject) => JsonObject,
  ): Json | undefined => {
    const source = mutableAt(metric, name);
    return source && convert(source, objectAt(source, "target"), objectAt(source, "metric"));
  };
  const resource = (source: JsonObject, target: JsonObject): JsonObject =>
    members({
      name: source["name"],
      targetAverageUtilization: target["averageUtilization"],
      targetAverageValue: target["averageValue"],
      container: source["container"],
    });
  return members({
    type: metric["type"] ?? "",
    object: part("object", (source, target, id) =>
      members({
        target: reference(objectAt(source, "describedObject")),
        metricName: id["name"] ?? "",
        targetValue: target["value"] ?? "0",
        selector: id["selector"],
        averageValue: target["averageValue"],
      }),
    ),
    pods: part("pods", (_, target, id) =>
      members({
        metricName: id["name"] ?? "",
        targetAverageValue: target["averageValue"] ?? "0",
        selector: id["selector"],
      }),
    ),
    resource: part("resource", resource),
    containerResource: part("containerResource", resource),
    external: part("external", (_, target, id) =>
      members({
        metricName: id["name"] ?? "",
        metricSelector: id["selector"],
        targetValue: target["value"],
        targetAverageValue: target["averageValue"],
      }),
    ),
  });
}

/** A metric of v1 as v2 has it. */
export function fromOldMetric(metric: JsonObject): JsonObject {
  const part = (name: string, convert: (source: JsonObject) => JsonObject): Json | undefined => {
    const source = mutableAt(metric, name);
    return source && convert(source);
  };
  const resource = (source: JsonObject): JsonObject => {
    const utilization = source["targetAverageUtilization"];
    return members({
      name: source["name"] ?? "",
      container: source["container"],
      target: members({
        type: isSet(utilization) ? "Utilization" : "AverageValue",
        averageValue: source["targetAverageValue"],
        averageUtilization: utilization,
      }),
    });
  };
  return members({
    type: metric["type"] ?? "",
    object: part("object", (source) => {
      const average = source["averageValue"];
      const value =
        isSet(average) && nanoOf(source["targetValue"]) === 0n
          ? undefined
          : (source["targetValue"] ?? "0");
      return members({
        describedObject: reference(objectAt(source, "target")),
        target: members({
          type: isSet(average) ? "AverageValue" : "Value",
          value,
          averageValue: average,
        }),
        metric: identifier(source["metricName"], source["selector"]),
      });
    }),
    pods: part("pods", (source) => ({
      metric: identifier(source["metricName"], source["selector"]),
      target: { type: "AverageValue", averageValue: source["targetAverageValue"] ?? "0" },
    })),
    resource: part("resource", resource),
    containerResource: part("containerResource", resource),
    external: part("external", (source) => ({
      metric: identifier(source["metricName"], source["metricSelector"]),
      target: members({
        type: isSet(source["targetValue"]) ? "Value" : "AverageValue",
        value: source["targetValue"],
        averageValue: source["targetAverageValue"],
      }),
    })),
  });
}

/** A metric's status of v2 as v1 writes it. */
export function toOldStatus(metric: JsonObject): JsonObject {
  const part = (
    name: string,
    convert: (source: JsonObject, current: JsonObject, id: JsonObject) => JsonObject,
  ): Json | undefined => {
    const source = mutableAt(metric, name);
    return source && convert(source, objectAt(source, "current"), objectAt(source, "metric"));
  };
  const resource = (source: JsonObject, current: JsonObject): JsonObject =>
    members({
      name: source["name"],
      currentAverageUtilization: current["averageUtilization"],
      currentAverageValue: current["averageValue"] ?? "0",
      container: source["container"],
    });
  return members({
    type: metric["type"] ?? "",
    object: part("object", (source, current, id) =>
      members({
        target: reference(objectAt(source, "describedObject")),
        metricName: id["name"] ?? "",
        currentValue: current["value"] ?? "0",
        selector: id["selector"],
        averageValue: current["averageValue"],
      }),
    ),
    pods: part("pods", (_, current, id) =>
      members({
        metricName: id["name"] ?? "",
        currentAverageValue: current["averageValue"] ?? "0",
        selector: id["selector"],
      }),
    ),
    resource: part("resource", resource),
    containerResource: part("containerResource", resource),
    external: part("external", (_, current, id) =>
      members({
        metricName: id["name"] ?? "",
        metricSelector: id["selector"],
        currentValue: current["value"] ?? "0",
        currentAverageValue: current["averageValue"],
      }),
    ),
  });
}

/** A metric's status of v1 as v2 has it. */
export function fromOldStatus(metric: JsonObject): JsonObject {
  const part = (name: string, convert: (source: JsonObject) => JsonObject): Json | undefined => {
    const source = mutableAt(metric, name);
    return source && convert(source);
  };
  const resource = (source: JsonObject): JsonObject =>
    members({
      name: source["name"] ?? "",
      container: source["container"],
      current: members({
        averageValue: source["currentAverageValue"] ?? "0",
        averageUtilization: source["currentAverageUtilization"],
      }),
    });
  return members({
    type: metric["type"] ?? "",
    object: part("object", (source) => ({
      metric: identifier(source["metricName"], source["selector"]),
      current: members({
        value: source["currentValue"] ?? "0",
        averageValue: source["averageValue"],
      }),
      describedObject: reference(objectAt(source, "target")),
    })),
    pods: part("pods", (source) => ({
      metric: identifier(source["metricName"], source["selector"]),
      current: { averageValue: source["currentAverageValue"] ?? "0" },
    })),
    resource: part("resource", resource),
    containerResource: part("containerResource", resource),
    external: part("external", (source) => ({
      metric: identifier(source["metricName"], source["metricSelector"]),
      current: members({
        value: source["currentValue"] ?? "0",
        averageValue: source["currentAverageValue"],
      }),
    })),
  });
}

/** The one metric that v1 has a field for. */
export function cpuUtilizationOf(
  metric: JsonObject,
  holder: "target" | "current",
): Json | undefined {
  const resource = mutableAt(metric, "resource");
  if (stringAt(metric, "type") !== "Resource" || !resource || stringAt(resource, "name") !== "cpu")
    return undefined;
  const value = objectAt(resource, holder)["averageUtilization"];
  return isSet(value) ? value : undefined;
}
