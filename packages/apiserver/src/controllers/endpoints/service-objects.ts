// Services and what is told about their pods, as far as the controllers of endpoints look at them.
// Types, names, and the form in which pods and addresses are referred to.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/api/discovery/v1/types.go.
import type { Service } from "homeostat/k8s/core/v1";
import { type Pod, type ObjectReference } from "homeostat/k8s/core/v1";

/** Marks what belongs to a service without an address of its own. */
export const headlessLabel = "service.kubernetes.io/headless";
export const serviceNameLabel = "kubernetes.io/service-name";
export const managedByLabel = "endpointslice.kubernetes.io/managed-by";
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time";

/** Whether the service has an address of its own. */
export const hasClusterIp = ({ spec: { clusterIP } }: Service): boolean =>
  clusterIP !== undefined && clusterIP !== "" && clusterIP !== "None";

/** Whether a controller is to find the pods of the service; an empty selector is none. */
export const selectsPods = ({ spec }: Service): boolean =>
  Object.keys(spec.selector ?? {}).length > 0;

/** How an address refers to its pod. */
export const referenceTo = ({ metadata: { namespace = "", name, uid } }: Pod): ObjectReference => ({
  kind: "Pod",
  namespace,
  name,
  uid,
});
