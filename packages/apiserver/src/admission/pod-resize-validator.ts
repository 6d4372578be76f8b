// PodResizeValidator: refuses a resize beyond the allocatable resources of the pod's node.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podresize/admission.go.
import { ApiStatusError, type Decoded } from "homeostat/api";
import type { Node, Pod } from "homeostat/k8s/core/v1";
import { nanoOf, sumPod } from "../kinds/core/resources/resource-lists.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { type CreatePlugin, refuse, updateOf } from "./admission-plugin.ts";

const units = { cpu: 1_000_000n, memory: 1_000_000_000n } as const;

export const createPodResizeValidator: CreatePlugin = ({ objects }) => ({
  validate(request) {
    const update = updateOf<Decoded<Pod>>(request, "pods", "resize");
    if (!update) return;
    const { object, old } = update;
    const name = object.spec?.nodeName ?? "";
    if (!name || object.metadata?.generation === old.metadata?.generation) return;
    const node: Decoded<Node> | undefined = objects.find({ group: "", resource: "nodes" }, name);
    if (!node) throw refuse(request, `node ${quoteGo(name)} not found`);
    const system = node.metadata?.labels?.["kubernetes.io/os"] ?? "linux";
    if (system !== "linux")
      throw refuseFor(
        request,
        "UnsupportedPlatform",
        `pod resize is only supported on linux nodes, node ${quoteGo(name)} is ${quoteGo(system)}`,
      );
    const lacks = lacking(object, node.status?.allocatable ?? {});
    if (lacks.length)
      throw refuseFor(
        request,
        "NodeCapacity",
        `node didn't have enough allocatable resources: ${lacks.join("; ")}`,
      );
  },
});

/** The resources that the node lacks; amounts in thousandths of a CPU and in bytes, rounded up. */
function lacking(pod: Decoded<Pod>, allocatable: Readonly<Record<string, string>>): string[] {
  const requests = sumPod(pod.spec ?? {}, "requests");
  return (["cpu", "memory"] as const).flatMap((resource) => {
    const requested = requests.get(resource)?.nano ?? 0n;
    const available = nanoOf(allocatable[resource]);
    const shown = (nano: bigint): bigint => (nano + units[resource] - 1n) / units[resource];
    return requested > available
      ? [`${resource}, requested: ${shown(requested)}, allocatable: ${shown(available)}`]
      : [];
  });
}

function refuseFor(request: AdmissionRequest, reason: string, why: string): ApiStatusError {
  const { status } = refuse(request, why);
  return new ApiStatusError({ ...status, details: { ...status.details, causes: [{ reason }] } });
}
