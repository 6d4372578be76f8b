// NodeRestriction: nodes (users `system:node:<name>` of the group system:nodes) change their own
// node, lease, pods and volumes only.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/noderestriction/admission.go,
// pkg/auth/nodeidentifier/default.go. PodCertificateRequests are not served.
import type { Decoded } from "homeostat/api";
import type { CertificateSigningRequest } from "homeostat/k8s/certificates/v1";
import type { ResourceSlice } from "homeostat/k8s/resource/v1";
import { formatGroupResource } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { metaString } from "../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import {
  signingRequestFault,
  requestedCommonName,
} from "../kinds/certificates/read-signing-request.ts";
import { type CreatePlugin, type PluginServices, refuse } from "./admission-plugin.ts";
import { admitNode } from "./node-restriction/admit-node.ts";
import { admitClaim, admitPod } from "./node-restriction/admit-pod.ts";
import { admitToken } from "./node-restriction/admit-token.ts";

const userPrefix = "system:node:";
const kubeletSigners = [
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
];

type Rule = (node: string, request: AdmissionRequest, services: PluginServices) => void;

export const createNodeRestriction: CreatePlugin = (services) => ({
  mutate(request) {
    const { user, resource, operation } = request;
    if (operation === "CONNECT" || !user.name.startsWith(userPrefix)) return;
    if (!user.groups.includes("system:nodes")) return;
    const node = user.name.slice(userPrefix.length);
    if (!node) throw refuse(request, `could not determine node from user ${quoteGo(user.name)}`);
    rules[formatGroupResource(resource)]?.(node, request, services);
  },
});

/** By group and resource. */
const rules: Readonly<Record<string, Rule>> = {
  pods: admitPod,
  nodes: admitNode,
  persistentvolumeclaims: admitClaim,
  serviceaccounts: admitToken,
  "leases.coordination.k8s.io": admitLease,
  "csinodes.storage.k8s.io": (node, request) => assertOwnName(node, request, "CSINode"),
  "resourceslices.resource.k8s.io": admitSlice,
  "certificatesigningrequests.certificates.k8s.io": admitSigningRequest,
};

function admitLease(node: string, request: AdmissionRequest): void {
  if (request.namespace !== "kube-node-lease")
    throw refuse(request, 'can only access leases in the "kube-node-lease" system namespace');
  assertOwnName(node, request, "node lease");
}

function assertOwnName(node: string, request: AdmissionRequest, title: string): void {
  const { operation, object, name } = request;
  const asked = operation === "CREATE" && object ? metaString(object, "name") : name;
  if (asked !== node)
    throw refuse(request, `can only access ${title} with the same name as the requesting node`);
}

/** Other changes are up to the authorizer of nodes. */
function admitSlice(node: string, request: AdmissionRequest): void {
  const { operation, object, old } = request;
  const slice = (operation === "CREATE" ? object : old) as Decoded<ResourceSlice> | undefined;
  const verb = operation === "CREATE" ? "create" : "delete";
  if (slice && operation !== "UPDATE" && slice.spec?.nodeName !== node)
    throw refuse(
      request,
      `can only ${verb} ResourceSlice with the same NodeName as the requesting node`,
    );
}

function admitSigningRequest(node: string, request: AdmissionRequest): void {
  if (request.operation !== "CREATE" || !request.object) return;
  const { spec } = request.object as Decoded<CertificateSigningRequest>;
  if (!kubeletSigners.includes(spec?.signerName ?? "")) return;
  const pem = Buffer.from(spec?.request ?? "", "base64").toString("utf8");
  const fault = signingRequestFault(pem);
  if (fault !== undefined) throw refuse(request, `unable to parse csr: ${fault}`);
  if (requestedCommonName(pem) !== `${userPrefix}${node}`)
    throw refuse(request, `can only create a node CSR with CN=${userPrefix}${node}`);
}
