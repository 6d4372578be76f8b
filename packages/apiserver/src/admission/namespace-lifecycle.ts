// NamespaceLifecycle: an object needs a namespace that exists and is not terminating, and the
// immortal namespaces cannot be deleted.
// Upstream: k8s.io/apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
import { ApiStatusError, type Decoded, pathSegmentFaults } from "homeostat/api";
import type { Namespace } from "homeostat/k8s/core/v1";
import type { AdmissionRequest } from "../apimachinery/rest/admission.ts";
import { forbiddenError, internalError, notFoundError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { refuse, type CreatePlugin } from "./admission-plugin.ts";

const immortal = new Set(["default", "kube-system", "kube-public"]);

const namespaces = { group: "", resource: "namespaces" } as const;

export const createNamespaceLifecycle: CreatePlugin = ({ objects }) => ({
  mutate(request) {
    if (!objects.serves(namespaces)) return;
    const { resource, operation, namespace } = request;
    if (resource.group === "" && resource.resource === "namespaces") return refuseDeletion(request);
    if (!resource.namespaced || operation === "DELETE" || isAccessReview(request)) return;
    const faults = pathSegmentFaults(namespace);
    if (faults.length)
      throw internalError(`invalid resource name ${quoteGo(namespace)}: [${faults.join(" ")}]`);
    const found: Decoded<Namespace> | undefined = objects.find(namespaces, namespace);
    if (!found) throw notFoundError(namespaces, namespace);
    if (operation === "CREATE" && !request.subresource && found.status?.phase === "Terminating")
      throw terminatingError(request);
  },
});

function refuseDeletion({ operation, name, resource }: AdmissionRequest): void {
  if (operation === "DELETE" && immortal.has(name))
    throw forbiddenError(resource, name, "this namespace may not be deleted");
}

const isAccessReview = ({ resource }: AdmissionRequest): boolean =>
  resource.group === "authorization.k8s.io" && resource.resource === "localsubjectaccessreviews";

function terminatingError(request: AdmissionRequest): ApiStatusError {
  const { namespace } = request;
  const { status } = refuse(
    request,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
  );
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  return new ApiStatusError({ ...status, details: { ...status.details, causes: [cause] } });
}
