// Writes on every node for how long its kubelet may keep secrets and config maps without asking
// again: the longer, the more nodes there are.
// Upstream: k8s.io/kubernetes/pkg/controller/ttl/ttl_controller.go.
import { isNotFound } from "homeostat/api";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { ControllerDescriptor } from "../../component-helpers/controller/controller.ts";
import { Node } from "homeostat/k8s/core/v1";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Steps overlap, so that a node that comes and goes does not change the others' annotations. */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Infinity, seconds: 300 },
] as const;

/** Starts the controller. */
export const startTtl: ControllerDescriptor["start"] = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the controller of nodes' time to live");
  const nodes = controller.acquire(Node);
  let count = 0;
  let step = 0;
  const recount = (change: 1 | -1): void => {
    count += change;
    step = nextStep(step, count);
  };
  controller.follow(nodes, {
    added({ key }) {
      recount(1);
      controller.add(key);
    },
    updated: (_, { key }) => controller.add(key),
    deleted: () => recount(-1),
  });
  return controller.start(async (name) => {
    const node = nodes.get({ name });
    const wanted = String(secondsOf(step));
    if (!node || Number(node.metadata.annotations?.[annotation] ?? NaN) === Number(wanted))
      return undefined;
    await client
      .patch(Node, name, {
        type: "strategic",
        body: { metadata: { annotations: { [annotation]: wanted } } },
      })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
    return undefined;
  });
};

/** The step after one more or one less node. */
export function nextStep(step: number, nodes: number): number {
  const { from, to } = steps[step]!;
  if (nodes > to) return step + 1;
  return nodes < from ? step - 1 : step;
}

export const secondsOf = (step: number): number => steps[step]!.seconds;
