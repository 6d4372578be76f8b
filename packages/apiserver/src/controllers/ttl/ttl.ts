// Annotates every node with the time for which its kubelet may cache secrets and config maps: the
// more nodes, the longer.
// Upstream: k8s.io/kubernetes/pkg/controller/ttl/ttl_controller.go.
import { ignoreNotFound } from "../../component-helpers/errors/ignore-not-found.ts";
import { KeyedController } from "../../component-helpers/controller/keyed-controller.ts";
import type { Start } from "../../component-helpers/controller/controller.ts";
import { Node } from "homeostat/k8s/core/v1";

const annotation = "node.alpha.kubernetes.io/ttl";

/** Steps overlap, so that a node that joins and leaves does not change all annotations. */
const steps = [
  { from: 0, to: 100, seconds: 0 },
  { from: 90, to: 500, seconds: 15 },
  { from: 450, to: 1000, seconds: 30 },
  { from: 900, to: 2000, seconds: 60 },
  { from: 1800, to: Infinity, seconds: 300 },
] as const;

/** Starts `ttl`. */
export const start: Start = async (context) => {
  const { client } = context;
  const controller = new KeyedController(context, "the ttl controller");
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
      .catch(ignoreNotFound);
    return undefined;
  });
};

/** The step after a node was added or removed. */
export function nextStep(step: number, nodes: number): number {
  const { from, to } = steps[step]!;
  if (nodes > to) return step + 1;
  return nodes < from ? step - 1 : step;
}

export const secondsOf = (step: number): number => steps[step]!.seconds;
