// TaintNodesByCondition: a new node is not ready until somebody says so.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/nodetaint/admission.go.
import { itemsAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import { append, specOf } from "./spec-of.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

export const createTaintNodesByCondition: CreatePlugin = () => ({
  mutate(request) {
    if (!request.object || request.operation !== "CREATE" || !isAbout(request, "", "nodes")) return;
    const spec = specOf(request.object);
    const isTainted = itemsAt(spec, "taints").some(
      (taint) =>
        stringAt(taint, "key") === notReady.key && stringAt(taint, "effect") === notReady.effect,
    );
    if (!isTainted) append(spec, "taints", { ...notReady });
  },
});
