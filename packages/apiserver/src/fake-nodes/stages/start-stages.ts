// Starts a stage controller for every kind with custom stages but Pod, including custom resources.
// Waits for kinds that are not served yet. The kubelet plays the stages of pods (../kubelet).
// Upstream: sigs.k8s.io/kwok/pkg/kwok/controllers/stage_controller.go.
import type { Informer } from "homeostat/cache";
import { createEventRecorder, type EventRecorder } from "homeostat/events";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import { addressOf, conditionsOf } from "../kubelet/fake-node.ts";
import type { RunningController, Start } from "../../component-helpers/controller/controller.ts";
import type { FakeNodesContext } from "../fake-nodes-context.ts";
import type { ApiObject } from "../../component-helpers/meta/api-object.ts";
import type { Kind } from "homeostat/api";
import { Node } from "homeostat/k8s/core/v1";
import type { Stage } from "./stage.ts";
import { StageController } from "./stage-controller.ts";

/** Starts the stages of every kind but Pod. */
export const start: Start<FakeNodesContext> = async (context) => {
  const recorder = createEventRecorder({
    client: context.client,
    runtime: context.runtime,
    controller: "stages",
    api: "v1",
  });
  const parts: RunningController[] = [];
  for (const kind of otherKinds(context.stages))
    parts.push(await waitForKind(context, kind, recorder));
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await recorder.close();
    },
  };
};

/** The kinds of stages but Pod. */
export const otherKinds = (stages: readonly Stage[]): readonly Stage["for"][] =>
  [
    ...new Map(stages.map(({ for: one }) => [`${one.apiVersion} ${one.kind}`, one])).values(),
  ].filter(({ apiVersion, kind }) => apiVersion !== "v1" || kind !== "Pod");

async function waitForKind(
  context: FakeNodesContext,
  { apiVersion, kind }: Stage["for"],
  recorder: EventRecorder,
): Promise<RunningController> {
  let controller: KeyedController | undefined;
  let stopped = false;
  const begin = async (): Promise<void> => {
    const found = controller
      ? undefined
      : await context.kinds.find(apiVersion, kind).catch(() => undefined);
    if (found && !controller && !stopped) controller = playKind(context, found as never, recorder);
  };
  await begin();
  const changes = context.kinds.changed(() => void begin());
  return {
    async stop() {
      stopped = true;
      changes.remove();
      await controller?.stop();
    },
  };
}

function playKind(
  context: FakeNodesContext,
  kind: Kind<ApiObject>,
  recorder: EventRecorder,
): KeyedController {
  const { client, runtime, stages } = context;
  const controller = new KeyedController(context, `the stages of ${kind.kind}`);
  const informer = controller.acquire(kind);
  const nodes: Informer<Kind<Node>> = controller.acquire(Node);
  const nodeIp = (name: string): string => {
    const node = nodes.get({ name });
    return (node && addressOf(node)) ?? "";
  };
  const stageController = new StageController(
    {
      kind,
      informer,
      custom: stages.filter(
        ({ for: one }) => one.apiVersion === kind.apiVersion && one.kind === kind.kind,
      ),
      builtIn: [],
      environmentOf: ({ metadata }) => ({
        now: runtime.clock.now(),
        nodeName: metadata.name,
        nodeIp,
        podIp: () => "",
        nodeConditions: () => conditionsOf("True"),
      }),
      statusType: kind.apiVersion === "v1" ? "strategic" : "merge",
    },
    { client, runtime, recorder },
  );
  controller.follow(informer, {
    added: ({ key }) => controller.add(key),
    updated: (_, { key }) => controller.add(key),
    deleted: ({ uid }) => stageController.forget(uid),
  });
  return controller.start((key) => stageController.sync(key));
}
