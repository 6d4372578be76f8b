// What a node may do with pods and claims: create mirrors of its static pods, delete and evict its
// own pods, and report the status of both.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/noderestriction/admission.go (admitPod,
// admitPodStatus, admitPodEviction, admitPVCStatus), pkg/api/pod/util.go (HasAPIObjectReference).
import { type Decoded, equalJson, type Json, type JsonObject } from "homeostat/api";
import type { PersistentVolumeClaim, Pod } from "homeostat/k8s/core/v1";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { withoutFields } from "../../apimachinery/meta/read-fields.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import { diffPrinted } from "../../kinds/printers/unified-diff.ts";
import { type PluginServices, refuse } from "../admission-plugin.ts";
import { referencedKind } from "./api-references.ts";
import { listed, listedObject } from "./listed-object.ts";

const mirror = "kubernetes.io/config.mirror";

export function admitPod(node: string, request: AdmissionRequest, services: PluginServices): void {
  const { subresource } = request;
  if (subresource === "") return admitWhole(node, request, services);
  if (subresource === "status") return admitStatus(node, request);
  if (subresource === "eviction") return admitEviction(node, request, services);
  throw refuse(
    request,
    `unexpected pod subresource ${quoteGo(subresource)}, only 'status' and 'eviction' are allowed`,
  );
}

function admitWhole(node: string, request: AdmissionRequest, services: PluginServices): void {
  const { operation } = request;
  if (operation === "CREATE") return admitMirror(node, request, services);
  if (operation !== "DELETE")
    throw refuse(
      request,
      `unexpected operation ${quoteGo(operation)}, node ${quoteGo(node)} can only create and delete mirror pods`,
    );
  if (nodeOf(findPod(request, services)) !== node)
    throw refuse(
      request,
      `node ${quoteGo(node)} can only delete pods with spec.nodeName set to itself`,
    );
}

const findPod = ({ name, namespace }: AdmissionRequest, { objects }: PluginServices): JsonObject =>
  listedObject(objects, listed.pods, name, namespace);

const nodeOf = (pod: JsonObject): string => (pod as Decoded<Pod>).spec?.nodeName ?? "";

function admitMirror(node: string, request: AdmissionRequest, services: PluginServices): void {
  const pod = request.object as Decoded<Pod>;
  const own = quoteGo(node);
  if (pod.metadata?.annotations?.[mirror] === undefined)
    throw refuse(
      request,
      `pod does not have "${mirror}" annotation, node ${own} can only create mirror pods`,
    );
  if ((pod.spec?.nodeName ?? "") !== node)
    throw refuse(request, `node ${own} can only create pods with spec.nodeName set to itself`);
  assertOwned(node, pod, request, services);
  const kind = referencedKind(pod.spec ?? {});
  if (kind !== undefined)
    throw refuse(request, `node ${own} can not create pods that reference ${kind}`);
}

/** The pod has one owner: the node, as its controller. */
function assertOwned(
  node: string,
  { metadata }: Decoded<Pod>,
  request: AdmissionRequest,
  { objects }: PluginServices,
): void {
  const may = `node ${quoteGo(node)} can only create pods with`;
  const [owner, ...others] = metadata?.ownerReferences ?? [];
  if (others.length) throw refuse(request, `${may} a single owner reference set to itself`);
  if (owner?.apiVersion !== "v1" || owner.kind !== "Node" || owner.name !== node)
    throw refuse(request, `${may} an owner reference set to itself`);
  if (!owner.controller) throw refuse(request, `${may} a controller owner reference set to itself`);
  if (owner.blockOwnerDeletion)
    throw refuse(
      request,
      `node ${quoteGo(node)} must not set blockOwnerDeletion on an owner reference`,
    );
  const uid = metaString(listedObject(objects, listed.nodes, node), "uid");
  if ((owner.uid ?? "") !== uid)
    throw refuse(request, `node ${node} UID mismatch: expected ${owner.uid ?? ""} got ${uid}`);
}

function admitStatus(node: string, request: AdmissionRequest): void {
  const { operation, object, old } = request as AdmissionRequest & {
    readonly object: Decoded<Pod>;
    readonly old: Decoded<Pod>;
  };
  if (operation !== "UPDATE") throw refuse(request, `unexpected operation ${quoteGo(operation)}`);
  const own = quoteGo(node);
  if ((old.spec?.nodeName ?? "") !== node)
    throw refuse(
      request,
      `node ${own} can only update pod status for pods with spec.nodeName set to itself`,
    );
  if (!isAlike(old.metadata?.labels, object.metadata?.labels, {}))
    throw refuse(request, `node ${own} cannot update labels through pod status`);
  if (!isAlike(old.status?.resourceClaimStatuses, object.status?.resourceClaimStatuses, []))
    throw refuse(request, `node ${own} cannot update resource claim statues`);
  const [was, is] = [old, object].map(({ status }) => status?.extendedResourceClaimStatus);
  if (!isAlike(was, is, null))
    throw refuse(request, `node ${own} cannot update extended resource claim status`);
}

const isAlike = (a: unknown, b: unknown, absent: Json): boolean =>
  equalJson((a ?? absent) as Json, (b ?? absent) as Json);

function admitEviction(node: string, request: AdmissionRequest, services: PluginServices): void {
  const { operation } = request;
  if (operation !== "CREATE") throw refuse(request, `unexpected operation ${operation}`);
  if (nodeOf(findPod(request, services)) !== node)
    throw refuse(request, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

/** A node reports what has been allocated and how far a volume has been expanded. */
export function admitClaim(node: string, request: AdmissionRequest): void {
  const { operation, subresource, object, old } = request;
  if (subresource !== "status") throw refuse(request, "may only update PVC status");
  if (operation !== "UPDATE" || !object || !old)
    throw refuse(request, `unexpected operation ${quoteGo(operation)}`);
  const [after, before] = [object, old].map(withoutReport);
  if (equalJson(before!, after!)) return;
  const { printInternal } = request.resource;
  const difference = printInternal && diffPrinted(printInternal(before!), printInternal(after!));
  throw refuse(
    request,
    `node ${quoteGo(node)} is not allowed to update fields other than status.quantity and status.conditions: ${difference ?? ""}`,
  );
}

function withoutReport(claim: Decoded<PersistentVolumeClaim>): JsonObject {
  const { metadata, status, ...rest } = claim;
  return {
    ...rest,
    metadata: withoutFields((metadata ?? {}) as JsonObject, "resourceVersion", "managedFields"),
    status: withoutFields(
      status ?? {},
      "capacity",
      "conditions",
      "allocatedResourceStatuses",
      "allocatedResources",
    ),
  } as JsonObject;
}
