// PodTopologyLabels: a pod on a node bears the labels of the node's zone and region.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/podtopologylabels/admission.go.
import { hasItems, textMapAt, objectAt, stringAt } from "../apimachinery/meta/read-fields.ts";
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
    if (hasItems(copied))
      metadataOf(object)["labels"] = { ...textMapAt(metadataOf(object), "labels"), ...copied };
  },
});

/** The node that a new pod or a binding names. */
function nodeNameOf(request: AdmissionRequest): string {
  if (isAbout(request, "", "pods")) return stringAt(objectAt(request.object!, "spec"), "nodeName");
  if (!isAbout(request, "", "pods", "binding")) return "";
  const target = objectAt(request.object!, "target");
  return stringAt(target, "kind") === "Node" ? stringAt(target, "name") : "";
}

function topologyOf(node: string, objects: StoredObjects): Readonly<Record<string, string>> {
  const labels = textMapAt(
    metadataOf((node && objects.find({ group: "", resource: "nodes" }, node)) || {}),
    "labels",
  );
  return Object.fromEntries(
    topologyLabels.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]]])),
  );
}
