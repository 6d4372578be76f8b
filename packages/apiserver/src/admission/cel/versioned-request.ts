// A request whose objects are in the version that a webhook or policy matched, and the value of
// the variable `request`.
// Upstream: k8s.io/apiserver/pkg/admission/conversion.go (VersionedAttributes),
// pkg/admission/plugin/cel/condition.go (CreateAdmissionRequest).
import type { GroupVersionKind, JsonObject } from "homeostat/api";
import type { AdmissionRequest } from "../../apimachinery/rest/admission.ts";

/** A resource in one version. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** A request in the version that matched. */
export interface VersionedRequest {
  readonly request: AdmissionRequest;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly object: JsonObject | undefined;
  readonly old: JsonObject | undefined;
}

/** An AdmissionRequest of admission.k8s.io without objects, as expressions see it. */
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
    userInfo: userInfoOf(request),
    object: null,
    oldObject: null,
    dryRun,
    options,
  };
}

function userInfoOf({ user }: AdmissionRequest): JsonObject {
  const extra = Object.entries(user.extra ?? {});
  return {
    ...text("username", user.name),
    ...text("uid", user.uid ?? ""),
    ...(user.groups.length ? { groups: [...user.groups] } : {}),
    ...(extra.length
      ? { extra: Object.fromEntries(extra.map(([key, values]) => [key, [...values]])) }
      : {}),
  };
}

const text = (field: string, value: string): JsonObject => (value ? { [field]: value } : {});
const gvk = ({ group, version, kind }: GroupVersionKind): JsonObject => ({ group, version, kind });
const gvr = ({ group, version, resource }: GroupVersionResource): JsonObject => ({
  group,
  version,
  resource,
});
