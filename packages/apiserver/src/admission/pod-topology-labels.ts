// PodTopologyLabels: copies the zone and region labels of a pod's node to the pod.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels/admission.go.
import type { Decoded } from "homeostat/api";
import type { Binding, Node, Pod } from "homeostat/k8s/core/v1";
import { hasItems } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { isAbout, type CreatePlugin } from "./admission-plugin.ts";
import type { StoredObjects } from "../registry/revisions/stored-objects.ts";

const topologyLabels = ["topology.kubernetes.io/zone", "topology.kubernetes.io/region"];

export const createPodTopologyLabels: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    const { object } = request;
    if (!object || request.operation !== "CREATE") return;
    const copied = topologyOf(nodeNameOf(request), objects);
    if (hasItems(copied)) metadataOf(object).labels = { ...metadataOf(object).labels, ...copied };
  },
});

/** The node that a new pod or a binding names. */
function nodeNameOf(request: AdmissionRequest): string {
  if (isAbout(request, "", "pods")) {
    const pod: Decoded<Pod> = request.object!;
    return pod.spec?.nodeName ?? "";
  }
  if (!isAbout(request, "", "pods", "binding")) return "";
  const { target }: Decoded<Binding> = request.object!;
  return target?.kind === "Node" ? (target.name ?? "") : "";
}

function topologyOf(nodeName: string, objects: StoredObjects): Record<string, string> {
  const node: Decoded<Node> | undefined = nodeName
    ? objects.find({ group: "", resource: "nodes" }, nodeName)
    : undefined;
  const labels = node?.metadata?.labels ?? {};
  return Object.fromEntries(
    topologyLabels.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])),
  );
}
