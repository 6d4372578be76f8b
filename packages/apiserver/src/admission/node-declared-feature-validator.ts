// NodeDeclaredFeatureValidator: a pod may be resized in a way that its node has to support only if
// the node declares that it does.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/nodedeclaredfeatures/admission.go,
// k8s.io/component-helpers/nodedeclaredfeatures (framework.go, features).
import { type Decoded, equalJson } from "homeostat/api";
import type { Node, Pod, ResourceRequirements } from "homeostat/k8s/core/v1";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { isSet } from "../apimachinery/meta/read-fields.ts";
import { nanoOf } from "../kinds/core/resources/resource-lists.ts";
import { type CreatePlugin, isAbout, refuse } from "./admission-plugin.ts";

export const createNodeDeclaredFeatureValidator: CreatePlugin = ({ objects }) => ({
  validate(request) {
    const { object, old, operation } = request;
    if (!object || !old || operation !== "UPDATE") return;
    if (!isAbout(request, "", "pods") && !isAbout(request, "", "pods", "resize")) return;
    const [pod, before] = [object as Decoded<Pod>, old as Decoded<Pod>];
    const name = pod.spec?.nodeName;
    if (!name || (pod.metadata?.generation ?? 0) === (before.metadata?.generation ?? 0)) return;
    const needed = featuresOf(before, pod);
    if (!needed.length) return;
    const node: Decoded<Node> | undefined = objects.find({ group: "", resource: "nodes" }, name);
    if (!node) throw refuse(request, `node ${quoteGo(name)} not found`);
    const declared = node.status?.declaredFeatures ?? [];
    const missing = needed.filter((feature) => !declared.includes(feature));
    if (missing.length)
      throw refuse(
        request,
        `pod update requires features ${missing.join(", ")} which are not available on node ${quoteGo(name)}`,
      );
  },
});

/** What an update asks of a node; other features matter to scheduling only. */
function featuresOf(old: Decoded<Pod>, pod: Decoded<Pod>): readonly string[] {
  const wholePod = !isSameResources(old.spec?.resources, pod.spec?.resources);
  const initContainers = (old.spec?.initContainers ?? []).some(
    ({ restartPolicy, resources }, at) =>
      restartPolicy !== "Always" &&
      !equalJson(resources ?? {}, pod.spec?.initContainers?.[at]?.resources ?? {}),
  );
  return [
    ...(wholePod ? ["InPlacePodLevelResourcesVerticalScaling"] : []),
    ...(initContainers ? ["InPlacePodVerticalScalingInitContainers"] : []),
  ];
}

type Resources = Decoded<ResourceRequirements> | null | undefined;

function isSameResources(a: Resources, b: Resources): boolean {
  if (!isSet(a) || !isSet(b)) return !isSet(a) && !isSet(b);
  return (["requests", "limits"] as const).every((bound) => {
    const [before, after] = [a[bound] ?? {}, b[bound] ?? {}];
    const names = Object.keys(before);
    return (
      names.length === Object.keys(after).length &&
      names.every((name) => name in after && nanoOf(before[name]) === nanoOf(after[name]))
    );
  });
}
