// A pod of a daemon set: it is made for one node, and bears what nodes may be ill with. Which nodes
// it may be on. Pure.
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
import { generationLabel, templateGeneration } from "./daemon-set-objects.ts";

/** What a node may be and keep its daemons. */
const borne: readonly Toleration[] = [
  { key: "node.kubernetes.io/not-ready", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute" },
  { key: "node.kubernetes.io/disk-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/memory-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/pid-pressure", operator: "Exists", effect: "NoSchedule" },
  { key: "node.kubernetes.io/unschedulable", operator: "Exists", effect: "NoSchedule" },
];
const borneOnHostNetwork: Toleration = {
  key: "node.kubernetes.io/network-unavailable",
  operator: "Exists",
  effect: "NoSchedule",
};
const nameField = "metadata.name";

/**
 * The template of a pod for a node, labelled with the hash of the revision that it is made from.
 */
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
 * The template's own tolerations, and those that every daemon has; one that is the same but for its
 * time gives way.
 */
function tolerationsOf({ hostNetwork, tolerations = [] }: PodSpec): readonly Toleration[] {
  const added = hostNetwork ? [...borne, borneOnHostNetwork] : borne;
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

/** The node that a pod is on or is meant for. */
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

/** run: a pod is to be there; stay: one that is there may stay; go: there must be none. */
export type Eligibility = "run" | "stay" | "go";

/** What a node is to a daemon set. */
export function eligibility(set: DaemonSet, node: Node): Eligibility {
  const { template } = set.spec;
  const spec = specOf(template);
  const { name } = node.metadata;
  if (spec.nodeName && spec.nodeName !== name) return "go";
  if (!matchesNode(spec, node.metadata)) return "go";
  const tolerations = tolerationsOf(spec);
  const unborne = (node.spec.taints ?? []).filter(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !isTolerated(taint, tolerations),
  );
  if (unborne.length === 0) return "run";
  return unborne.some(({ effect }) => effect === "NoExecute") ? "go" : "stay";
}
