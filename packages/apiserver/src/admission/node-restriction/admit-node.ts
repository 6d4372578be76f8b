// What a node may change of nodes: its own, without taints, owners and foreign labels.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/noderestriction/admission.go (admitNode),
// k8s.io/kubelet/pkg/apis/well_known_labels.go.
import { compareBytewise, type Decoded, equalJson, type Json } from "homeostat/api";
import type { Node } from "homeostat/k8s/core/v1";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import { refuse } from "../admission-plugin.ts";

type Labels = Readonly<Record<string, string>>;

export function admitNode(node: string, request: AdmissionRequest): void {
  const { name, operation } = request;
  const own = quoteGo(node);
  if (name !== node)
    throw refuse(request, `node ${own} is not allowed to modify node ${quoteGo(name)}`);
  const object = request.object as Decoded<Node> | undefined;
  const old = request.old as Decoded<Node> | undefined;
  if (operation === "CREATE" && object) admitCreate(own, object, request);
  if (operation === "UPDATE" && object && old) admitUpdate(own, { object, old }, request);
}

function admitCreate(
  own: string,
  { spec, metadata }: Decoded<Node>,
  request: AdmissionRequest,
): void {
  if (spec?.configSource)
    throw refuse(request, `node ${own} is not allowed to create pods with a non-nil configSource`);
  const labels = forbiddenLabels(metadata?.labels ?? {}, {});
  if (labels.length)
    throw refuse(
      request,
      `node ${own} is not allowed to set the following labels: ${labels.join(", ")}`,
    );
}

function admitUpdate(
  own: string,
  { object, old }: { readonly object: Decoded<Node>; readonly old: Decoded<Node> },
  request: AdmissionRequest,
): void {
  const source = object.spec?.configSource;
  if (source && !isAlike(source, old.spec?.configSource))
    throw refuse(
      request,
      `node ${own} is not allowed to update configSource to a new non-nil configSource`,
    );
  if (!isAlike(object.spec?.taints, old.spec?.taints))
    throw refuse(request, `node ${own} is not allowed to modify taints`);
  if (!isAlike(object.metadata?.ownerReferences, old.metadata?.ownerReferences))
    throw refuse(request, `node ${own} is not allowed to modify ownerReferences`);
  const labels = forbiddenLabels(object.metadata?.labels ?? {}, old.metadata?.labels ?? {});
  if (labels.length) throw refuse(request, `is not allowed to modify labels: ${labels.join(", ")}`);
}

/** Absent and empty lists are equal. */
const isAlike = (a: unknown, b: unknown): boolean =>
  equalJson((a ?? []) as Json, (b ?? []) as Json);

function forbiddenLabels(labels: Labels, before: Labels): readonly string[] {
  const keys = [...new Set([...Object.keys(labels), ...Object.keys(before)])];
  return keys
    .filter((key) => labels[key] !== before[key] && isForbidden(key))
    .toSorted(compareBytewise);
}

const isForbidden = (label: string): boolean =>
  isIn(label, ["node-restriction.kubernetes.io"]) ||
  (isIn(label, ["kubernetes.io", "k8s.io"]) && !isKubeletLabel(label));

const isKubeletLabel = (label: string): boolean =>
  kubeletLabels.has(label) || isIn(label, ["kubelet.kubernetes.io", "node.kubernetes.io"]);

/** Whether the prefix of the label is one of these domains, or below one. */
function isIn(label: string, domains: readonly string[]): boolean {
  const slash = label.indexOf("/");
  const prefix = slash < 0 ? "" : label.slice(0, slash);
  return domains.some((domain) => prefix === domain || prefix.endsWith(`.${domain}`));
}

const kubeletLabels: ReadonlySet<string> = new Set([
  "kubernetes.io/hostname",
  "topology.kubernetes.io/zone",
  "topology.kubernetes.io/region",
  "failure-domain.beta.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region",
  "beta.kubernetes.io/instance-type",
  "node.kubernetes.io/instance-type",
  "kubernetes.io/os",
  "kubernetes.io/arch",
  "beta.kubernetes.io/os",
  "beta.kubernetes.io/arch",
]);
