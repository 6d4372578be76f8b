// Resets the condition DisruptionTarget of pods that were not deleted within two minutes.
// Upstream: k8s.io/kubernetes/pkg/controller/disruption/disruption.go (syncStalePodDisruption).
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { parseObjectKey } from "homeostat/api";
import type { CachedObject } from "homeostat/cache";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { isPodFinished } from "../../component-helpers/workloads/pod-state.ts";
import type {
  RunningController,
  ControllerContext,
} from "../../component-helpers/controller/controller.ts";
import { Pod } from "homeostat/k8s/core/v1";
import { formatTime } from "../../component-helpers/meta/format-time.ts";

/** How long a pod may be a disruption target without being deleted. */
const staleMs = 120_000;
const target = "DisruptionTarget";

/** Starts the controller. */
export function startStaleConditions({
  client,
  runtime,
  ...context
}: ControllerContext): RunningController {
  const controller = new KeyedController(
    { client, runtime, ...context },
    "the stale pod disruption worker",
  );
  const pods = controller.acquire(Pod);
  const enqueue = (pod: CachedObject<Pod>): void => {
    const inMs = staleInMs(pod.read(), runtime.clock.now());
    if (inMs !== undefined) controller.add(pod.key, inMs);
  };
  controller.follow(pods, { added: enqueue, updated: (_, pod) => enqueue(pod) });
  return controller.start(async (key) => {
    const pod = pods.get(parseObjectKey(key));
    const now = runtime.clock.now();
    const inMs = pod && staleInMs(pod, now);
    if (!pod || inMs !== 0) return inMs;
    await client
      .update(Pod, withoutTarget(pod, now), { subresource: "status" })
      .catch(ignoreNotFound);
    return undefined;
  });
}

/**
 * Milliseconds until the condition is stale; undefined if it is absent or does not become stale.
 */
export function staleInMs(pod: Pod, now: number): number | undefined {
  const condition = pod.status.conditions?.find(({ type }) => type === target);
  if (
    pod.metadata.deletionTimestamp !== undefined ||
    condition?.status !== "True" ||
    condition.reason === "TerminationByKubelet" ||
    isPodFinished(pod)
  )
    return undefined;
  return Math.max(0, Date.parse(condition.lastTransitionTime ?? formatTime(0)) + staleMs - now);
}

/** The pod with the condition set to False. */
function withoutTarget(pod: Pod, now: number): Pod {
  const { generation } = pod.metadata;
  const next = {
    type: target,
    status: "False" as const,
    ...(generation ? { observedGeneration: generation } : {}),
    lastTransitionTime: formatTime(now),
  };
  return {
    ...pod,
    status: {
      ...pod.status,
      conditions: (pod.status.conditions ?? []).map((one) => (one.type === target ? next : one)),
    },
  };
}
