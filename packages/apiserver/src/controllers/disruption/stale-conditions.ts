// Pods that were to be disrupted and stayed: after two minutes they are no longer said to be
// targets.
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

/** How long a pod may be a target that nobody deletes. */
const staleMs = 120_000;
const target = "DisruptionTarget";

/** Starts following pods. */
export function startStaleConditions({
  client,
  runtime,
  ...context
}: ControllerContext): RunningController {
  const controller = new KeyedController(
    { client, runtime, ...context },
    "the cleaner of disruption targets",
  );
  const pods = controller.acquire(Pod);
  const look = (pod: CachedObject<Pod>): void => {
    const inMs = staleInMs(pod.read(), runtime.clock.now());
    if (inMs !== undefined) controller.add(pod.key, inMs);
  };
  controller.follow(pods, { added: look, updated: (_, pod) => look(pod) });
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
 * Milliseconds until the condition is stale; undefined when it is not there, or says what will be
 * true for long.
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

/** The pod with the condition taken back. */
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
