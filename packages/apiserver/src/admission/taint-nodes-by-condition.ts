// TaintNodesByCondition: taints a new node as not ready.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/nodetaint/admission.go.
import type { Decoded } from "homeostat/api";
import type { Node } from "homeostat/k8s/core/v1";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

export const createTaintNodesByCondition: CreatePlugin = () => ({
  mutate(request) {
    const node: Decoded<Node> | undefined = request.object;
    if (!node || request.operation !== "CREATE" || !isAbout(request, "", "nodes")) return;
    const spec = (node.spec ??= {});
    const taints = spec.taints ?? [];
    const isTainted = taints.some(
      ({ key, effect }) => key === notReady.key && effect === notReady.effect,
    );
    if (!isTainted) spec.taints = [...taints, { ...notReady }];
  },
});
