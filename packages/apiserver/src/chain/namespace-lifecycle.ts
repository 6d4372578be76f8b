// Admission's first word: objects need a namespace that is there and stays, and some namespaces are not for deleting.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
import { ApiStatusError, isObject, pathSegmentFaults } from "homeostat/api";
import type { Revision, Store } from "../storage/store.ts";
import type { AdmissionRequest, AdmissionStep } from "../registry/admission.ts";
import { forbiddenError, internalError, notFoundError } from "../registry/api-errors.ts";
import { quoteGo } from "../registry/field-error.ts";
import { metaString } from "../registry/object-meta/read-meta.ts";
import type { ResourceCatalog } from "../registry/served-resource.ts";
import { storageKeyOf } from "../registry/views/storage-key.ts";
import { parseStored } from "../registry/views/stored-json.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);

/** The step; does nothing where namespaces are not served. */
export function createNamespaceLifecycle(store: Store, catalog: ResourceCatalog): AdmissionStep {
  const terminating = new WeakMap<Revision, boolean>();
  return (request) => {
    const namespaces = catalog.find("", "v1", "namespaces");
    if (!namespaces) return;
    const { resource, operation, namespace } = request;
    if (resource.group === "" && resource.resource === "namespaces") return refuseDeletion(request);
    if (!resource.namespaced || operation === "DELETE" || isAccessReview(request)) return;
    const faults = pathSegmentFaults(namespace);
    if (faults.length) throw internalError(`invalid resource name ${quoteGo(namespace)}: [${faults.join(" ")}]`);
    const revision = store.latest(storageKeyOf(namespaces, "", namespace));
    if (!revision) throw notFoundError(namespaces, namespace);
    if (operation !== "CREATE" || request.subresource) return;
    const known = terminating.get(revision) ?? isTerminating(revision);
    terminating.set(revision, known);
    if (known) throw terminatingError(request);
  };
}

function isTerminating({ bytes }: Revision): boolean {
  const { status } = parseStored(bytes);
  return isObject(status) && status.phase === "Terminating";
}

function refuseDeletion({ operation, name, resource }: AdmissionRequest): void {
  if (operation === "DELETE" && immortal.has(name)) throw forbiddenError(resource, name, "this namespace may not be deleted");
}

const isAccessReview = ({ resource }: AdmissionRequest): boolean => resource.group === "authorization.k8s.io" && resource.resource === "localsubjectaccessreviews";

function terminatingError({ resource, namespace, object, name }: AdmissionRequest): ApiStatusError {
  const named = name || (object ? metaString(object, "name") || metaString(object, "generateName") : "") || "Unknown";
  const error = forbiddenError(resource, named, `unable to create new content in namespace ${namespace} because it is being terminated`);
  const cause = { reason: "NamespaceTerminating", message: `namespace ${namespace} is being terminated`, field: "metadata.namespace" };
  return new ApiStatusError({ ...error.status, details: { ...error.status.details, causes: [cause] } });
}
