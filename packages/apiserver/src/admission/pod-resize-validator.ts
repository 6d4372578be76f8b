// PodResizeValidator: a pod on a node may not ask for more than the node has.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podresize/admission.go.
import { ApiStatusError, type JsonObject } from "homeostat/api";
import { nanoOf, sumContainers } from "../kinds/core/resources/resource-lists.ts";
import { numberAt, textMapAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { isAbout, refuse, type CreatePlugin } from "./admission-plugin.ts";

const units = { cpu: 1_000_000n, memory: 1_000_000_000n } as const;

export const createPodResizeValidator: CreatePlugin = ({ objects }) => ({
  validate(request) {
    const { object, old } = request;
    if (
      !object ||
      !old ||
      request.operation !== "UPDATE" ||
      !isAbout(request, "", "pods", "resize")
    )
      return;
    const name = stringAt(objectAt(object, "spec"), "nodeName");
    if (
      !name ||
      numberAt(metadataOf(object), "generation") === numberAt(metadataOf(old), "generation")
    )
      return;
    const node = objects.find({ group: "", resource: "nodes" }, name);
    if (!node) throw refuse(request, `node ${quoteGo(name)} not found`);
    const system = textMapAt(metadataOf(node), "labels")["kubernetes.io/os"] ?? "linux";
    if (system !== "linux")
      throw refuseFor(
        request,
        "UnsupportedPlatform",
        `pod resize is only supported on linux nodes, node ${quoteGo(name)} is ${quoteGo(system)}`,
      );
    const lacks = lacking(object, objectAt(objectAt(node, "status"), "allocatable"));
    if (lacks.length)
      throw refuseFor(
        request,
        "NodeCapacity",
        `node didn't have enough allocatable resources: ${lacks.join("; ")}`,
      );
  },
});

/** Amounts are told in thousandths of a CPU and in bytes, rounded up. */
function lacking(pod: JsonObject, allocatable: JsonObject): string[] {
  const requests = sumContainers(objectAt(pod, "spec"), "requests");
  return (["cpu", "memory"] as const).flatMap((resource) => {
    const [requested, available] = [
      requests.get(resource)?.nano ?? 0n,
      nanoOf(allocatable[resource]),
    ];
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
