// Defaults of autoscaling/v2: one replica, 80 % of the CPU, and scaling rules that are whole once
// there are any.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v2/defaults.go.
import { cloneJson, type JsonObject } from "homeostat/api";
import {
  hasItems,
  isSet,
  mutableAt,
  setIfNil,
  objectAt,
} from "../../apimachinery/meta/read-fields.ts";

const period = 15;
const up: JsonObject = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: period },
    { type: "Percent", value: 100, periodSeconds: period },
  ],
};
const down: JsonObject = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds: period }],
};

/** Sets them on a decoded object, in place. */
export function setAutoscalerDefaults(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  setIfNil(spec, "minReplicas", 1);
  if (!hasItems(spec["metrics"]))
    spec["metrics"] = [
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
      },
    ];
  const behavior = mutableAt(spec, "behavior");
  if (!behavior) return;
  behavior["scaleUp"] = completed(mutableAt(behavior, "scaleUp"), up);
  behavior["scaleDown"] = completed(mutableAt(behavior, "scaleDown"), down);
}

function completed(rules: JsonObject | undefined, defaults: JsonObject): JsonObject {
  const set = Object.fromEntries(Object.entries(rules ?? {}).filter(([, value]) => isSet(value)));
  return { ...cloneJson(defaults), ...set };
}
