// Defaults of autoscaling/v2: one replica, 80 % of the CPU, and complete scaling rules once a
// behavior is set.
// Upstream: k8s.io/kubernetes/pkg/apis/autoscaling/v2/defaults.go.
import { cloneJson, type Decoded } from "homeostat/api";
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
} from "homeostat/k8s/autoscaling/v2";
import { hasItems } from "../../apimachinery/meta/read-fields.ts";

const defaultUtilization = 80;
const periodSeconds = 15;
const scaleUp: Decoded<HPAScalingRules> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds },
    { type: "Percent", value: 100, periodSeconds },
  ],
};
const scaleDown: Decoded<HPAScalingRules> = {
  selectPolicy: "Max",
  policies: [{ type: "Percent", value: 100, periodSeconds }],
};

/** The metric for a percentage of the CPU that pods request. */
export const cpuMetric = (
  averageUtilization: number = defaultUtilization,
): Decoded<MetricSpec> => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

/** Sets the defaults of a decoded object, in place. */
export function setAutoscalerDefaults(object: Decoded<HorizontalPodAutoscaler>): void {
  const spec = object.spec ?? {};
  spec.minReplicas ??= 1;
  if (!hasItems(spec.metrics)) spec.metrics = [cpuMetric()];
  const { behavior } = spec;
  if (!behavior) return;
  behavior.scaleUp = withDefaults(behavior.scaleUp, scaleUp);
  behavior.scaleDown = withDefaults(behavior.scaleDown, scaleDown);
}

function withDefaults(
  rules: Decoded<HPAScalingRules> | null | undefined,
  defaults: Decoded<HPAScalingRules>,
): Decoded<HPAScalingRules> {
  const complete: Decoded<HPAScalingRules> = cloneJson(defaults);
  for (const field of [
    "stabilizationWindowSeconds",
    "selectPolicy",
    "policies",
    "tolerance",
  ] as const)
    copyIfSet(complete, rules ?? {}, field);
  return complete;
}

function copyIfSet<T extends object>(to: T, from: T, field: keyof T): void {
  if (from[field] !== undefined && from[field] !== null) to[field] = from[field];
}
