// A pod of a daemon set: it is made for one node, and bears what nodes may be ill with. Which nodes
// it may be on. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/daemon/util/daemonset_util.go, daemon_controller.go
// (NodeShouldRunDaemonPod).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { revisionLabel } from "../../component-helpers/workloads/controller-revision.ts";
import { isTolerated, matchesNode } from "../../component-helpers/nodes/node-fit.ts";
import type {
  Node,
  Pod,
  PodTemplate,
  Toleration,
} from "../../component-helpers/workloads/workload-objects.ts";
import { type DaemonSet, generationLabel, templateGeneration } from "./daemon-set-objects.ts";

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
): PodTemplate {
  const { template } = set.spec;
  const generation = templateGeneration(set);
  const labels = {
    ...template.metadata?.labels,
    ...(generation === undefined ? {} : { [generationLabel]: generation }),
    ...(hash === "" ? {} : { [revisionLabel]: hash }),
  };
  const affinity = forNode(template.spec["affinity"] as Json | undefined, node);
  return {
    ...template,
    metadata: { ...template.metadata, labels },
    spec: { ...template.spec, affinity, tolerations: tolerationsOf(template) },
  };
}

/**
 * The template's own tolerations, and those that every daemon has; one that is the same but for its
 * time gives way.
 */
function tolerationsOf({ spec }: PodTemplate): readonly Toleration[] {
  const added = spec["hostNetwork"] === true ? [...borne, borneOnHostNetwork] : borne;
  return added.reduce<readonly Toleration[]>(
    withToleration,
    (spec["tolerations"] as readonly Toleration[] | undefined) ?? [],
  );
}

function withToleration(before: readonly Toleration[], added: Toleration): readonly Toleration[] {
  const isSame = ({ key, operator, value = "", effect }: Toleration): boolean =>
    key === added.key && operator === added.operator && effect === added.effect && value === "";
  return before.some(isSame)
    ? before.map((one) => (isSame(one) ? added : one))
    : [...before, added];
}

/**
 * The affinity that binds a pod to one node; what else it asks of nodes is dropped, for the node
 * has it.
 */
function forNode(affinity: Json | undefined, node: string): JsonObject {
  const before = isObject(affinity) ? affinity : {};
  const nodeAffinity = isObject(before["nodeAffinity"]) ? before["nodeAffinity"] : {};
  const required = {
    nodeSelectorTerms: [{ matchFields: [{ key: nameField, operator: "In", values: [node] }] }],
  };
  return {
    ...before,
    nodeAffinity: { ...nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: required },
  };
}

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
  const spec = template.spec as Pod["spec"];
  const { name } = node.metadata;
  if (spec.nodeName && spec.nodeName !== name) return "go";
  if (!matchesNode(spec, node.metadata)) return "go";
  const tolerations = tolerationsOf(template);
  const unborne = (node.spec?.taints ?? []).filter(
    (taint) =>
      (taint.effect === "NoSchedule" || taint.effect === "NoExecute") &&
      !isTolerated(taint, tolerations),
  );
  if (unborne.length === 0) return "run";
  return unborne.some(({ effect }) => effect === "NoExecute") ? "go" : "stay";
}
