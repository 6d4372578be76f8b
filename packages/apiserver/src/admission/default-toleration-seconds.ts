// DefaultTolerationSeconds: a pod without tolerations for nodes that are not ready or unreachable
// tolerates them for five minutes.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/defaulttolerationseconds/admission.go.
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";

const taints = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const tolerationSeconds = 300;

export const createDefaultTolerationSeconds: CreatePlugin = () => ({
  mutate(request) {
    const { operation } = request;
    const pod: Decoded<Pod> | undefined = request.object;
    if (!pod || !isAbout(request, "", "pods") || !["CREATE", "UPDATE"].includes(operation)) return;
    const spec = (pod.spec ??= {});
    const given = spec.tolerations ?? [];
    const missing = taints.filter(
      (taint) =>
        !given.some(
          ({ key, effect }) =>
            ["", taint].includes(key ?? "") && ["", "NoExecute"].includes(effect ?? ""),
        ),
    );
    if (missing.length)
      spec.tolerations = [
        ...given,
        ...missing.map((key) => ({
          key,
          operator: "Exists" as const,
          effect: "NoExecute" as const,
          tolerationSeconds,
        })),
      ];
  },
});
