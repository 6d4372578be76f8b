// LimitPodHardAntiAffinityTopology: required anti-affinity is only allowed between nodes.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/antiaffinity/admission.go.
import type { Decoded } from "homeostat/api";
import type { Pod } from "homeostat/k8s/core/v1";
import { forbiddenError } from "../apimachinery/errors/api-errors.ts";
import { type CreatePlugin, isAbout } from "./admission-plugin.ts";

const hostname = "kubernetes.io/hostname";

export const createLimitPodHardAntiAffinityTopology: CreatePlugin = () => ({
  validate(request) {
    if (!request.object || request.operation === "CONNECT" || !isAbout(request, "", "pods")) return;
    const { metadata, spec }: Decoded<Pod> = request.object;
    const terms =
      spec?.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
    const other = terms.find(({ topologyKey }) => topologyKey !== hostname);
    if (other)
      throw forbiddenError(
        request.resource,
        metadata?.name ?? "",
        `affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey ${other.topologyKey ?? ""} but only key ${hostname} is allowed`,
      );
  },
});
