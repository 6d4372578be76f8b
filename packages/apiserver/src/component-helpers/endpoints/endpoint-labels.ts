// Labels, annotations and references that the controllers of Endpoints and EndpointSlices share.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/api/discovery/v1/types.go.
import type { Service } from "homeostat/k8s/core/v1";
import { type Pod, type ObjectReference } from "homeostat/k8s/core/v1";

/** Labels the endpoints of a headless service. */
export const headlessLabel = "service.kubernetes.io/headless";
export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** Whether the service has a cluster IP. */
export const hasClusterIp = ({ spec: { clusterIP } }: Service): boolean =>
  clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None";

/** Whether the service has a selector that is not empty. */
export const selectsPods = ({ spec }: Service): boolean =>
  Object.keys(spec.selector ?? {}).length > 0;

/** The reference of an address to its pod. */
export const referenceTo = ({ metadata: { namespace = "", name, uid } }: Pod): ObjectReference => ({
  kind: "Pod",
  namespace,
  name,
  uid,
});
