// A request whose objects are in the version that a webhook or policy matched, and the value of
// the variable `request`.
// Upstream: k8s.io/apiserver/pkg/admission/conversion.go (VersionedAttributes),
// pkg/admission/plugin/cel/condition.go (CreateAdmissionRequest).
import type { GroupVersionKind, JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";
import { reviewedUser } from "../../apimachinery/user-info.ts";
import type { GroupVersionResource } from "../matching/rules.ts";

/** A request in the version that matched. */
export interface VersionedRequest {
  readonly request: AdmissionRequest;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/**
 * An AdmissionRequest of admission.k8s.io without uid and objects, as expressions see it; members
 * have upstream's order.
 */
export function admissionRequestValue(
  { request }: Pick<VersionedRequest, "request">,
  kind: GroupVersionKind,
  resource: GroupVersionResource,
): JsonObject {
  const { subresource, name, namespace, operation, dryRun, options } = request;
  return {
    uid: "",
    kind: gvk(kind),
    resource: gvr(resource),
    ...text("subResource", subresource),
    requestKind: gvk(request.kind),
    requestResource: gvr(request.resource),
    ...text("requestSubResource", subresource),
    ...text("name", name),
    ...text("namespace", namespace),
    operation,
    userInfo: reviewedUser(request.user),
    object: null,
    oldObject: null,
    dryRun,
    options,
  };
}

const text = (field: string, value: string): JsonObject => (value ? { [field]: value } : {});
const gvk = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const gvr = ({ group, version, resource }: GroupVersionResource): JsonObject => ({
  group,
  version,
  resource,
});
