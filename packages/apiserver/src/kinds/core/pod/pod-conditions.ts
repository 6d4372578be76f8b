// Conditions of pods that the server itself sets.
// Upstream: k8s.io/kubernetes/pkg/api/pod/util.go (UpdatePodCondition).
import type { JsonObject } from "homeostat/api";
import { itemsAt, objectAt, stringAt } from "../../../apimachinery/meta/read-fields.ts";

/** One condition without its times. */
export interface PodCondition {
  readonly type: string;
  readonly status: "True" | "False";
  readonly reason?: string;
  readonly message?: string;
}

/** Sets or adds a condition in place; its transition time moves only with its status. */
export function setPodCondition(pod: JsonObject, condition: PodCondition, now: string): void {
  const status = objectAt(pod, "status");
  const conditions = itemsAt(status, "conditions");
  const old = conditions.find((each) => stringAt(each, "type") === condition.type);
  const lastTransitionTime =
    old && stringAt(old, "status") === condition.status ? (old["lastTransitionTime"] ?? null) : now;
  const next = { lastProbeTime: null, ...condition, lastTransitionTime };
  pod["status"] = {
    ...status,
    conditions: old
      ? conditions.map((each) => (each === old ? next : each))
      : [...conditions, next],
  };
}
