// The pod of a DaemonSet for one node: its template with affinity and tolerations, and the nodes on
// which it may run. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go, daemon_controller.go
// (NodeShouldRunDaemonPod).
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import type { DaemonSet } from "homeostat/k8s/apps/v1";
import type {
  Node,
  Pod,
  PodTemplateSpec,
  Toleration,
  Affinity,
  PodSpec,
} from "homeostat/k8s/core/v1";
import { isTolerated, matchesNode } from "../../component-helpers/nodes/node-fit.ts";
import { generationLabel, templateGeneration } from "./daemon-set-spec.ts";

/** Tolerations of every daemon pod. */
const daemonTolerations: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const hostNetworkToleration: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};
const nameField = "metadata.name";

/** The pod template for one node, labelled with the hash of its revision. */
export function daemonPodTemplate(
  set: DaemonSet,
  { node, hash }: { readonly node: string; readonly hash: string },
): PodTemplateSpec {
  const { template } = set.spec;
  const generation = templateGeneration(set);
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    ...(hash === "" ? {} : { [revisionLabel]: hash }),
  };
  const spec = specOf(template);
  return {
    ...template,
    metadata: { ...template.metadata, labels },
    spec: { ...spec, affinity: affinityTo(node, spec.affinity), tolerations: tolerationsOf(spec) },
  };
}

/**
 * The tolerations of the template and those of every daemon pod. A toleration of the template that
 * differs only in its time is replaced.
 */
function tolerationsOf({ hostNetwork, tolerations = [] }: PodSpec): readonly Toleration[] {
  const added = hostNetwork ? [...daemonTolerations, hostNetworkToleration] : daemonTolerations;
  return added.reduce<readonly Toleration[]>(withToleration, tolerations);
}

function withToleration(before: readonly Toleration[], added: Toleration): readonly Toleration[] {
  const isSame = ({ key, operator, value = "", effect }: Toleration): boolean =>
    key === added.key && operator === added.operator && effect === added.effect && value === "";
  return before.some(isSame)
    ? before.map((one) => (isSame(one) ? added : one))
    : [...before, added];
}

/** Affinity to one node. It replaces the required node affinity, which the node meets. */
function affinityTo(node: string, affinity: Affinity | undefined): Affinity {
  const required = {
    nodeSelectorTerms: [
      { matchFields: [{ key: nameField, operator: "In" as const, values: [node] }] },
    ],
  };
  return {
    ...affinity,
    nodeAffinity: {
      ...affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: required,
    },
  };
}

const specOf = ({ spec }: PodTemplateSpec): PodSpec => spec ?? { containers: [] };

/** The node of a pod, or the node that its affinity names. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
      ?.nodeSelectorTerms ?? [];
  const named = terms
    .flatMap(({ matchFields = [] }) => matchFields)
    .find(({ key, operator }) => key === nameField && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/**
 * run: the node needs a pod; stay: a pod that runs there may stay; go: the node must not have one.
 */
export type Eligibility = "run" | "stay" | "go";

/** Whether a node needs, may keep or must not have a pod of the set. */
export function eligibility(set: DaemonSet, node: Node): Eligibility {
  const { template } = set.spec;
  const spec = specOf(template);
  const { name } = node.metadata;
  if (spec.nodeName && spec.nodeName !== name) return "go";
  if (!matchesNode(spec, node.metadata)) return "go";
  const tolerations = tolerationsOf(spec);
  const intolerable = (node.spec.taints ?? []).filter(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !isTolerated(taint, tolerations),
  );
  if (intolerable.length === 0) return "run";
  return intolerable.some(({ effect }) => effect === "NoExecute") ? "go" : "stay";
}
