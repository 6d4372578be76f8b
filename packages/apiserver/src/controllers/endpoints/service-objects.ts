// Services and what is told about their pods, as far as the controllers of endpoints look at them.
// Types, names, and the form in which pods and addresses are referred to.
// Upstream: k8s.io/api/core/v1/types.go, k8s.io/api/discovery/v1/types.go.
import type { Kind } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import type {
  Pod,
  Workload,
  WorkloadKind,
} from "../../component-helpers/workloads/workload-objects.ts";

/** core/v1 Service. */
export interface Service extends Workload {
  readonly spec: {
    readonly type?: string;
    readonly selector?: Readonly<Record<string, string>>;
    readonly clusterIP?: string;
    readonly ipFamilies?: readonly IpFamily[];
    readonly ports?: readonly ServicePort[];
    readonly publishNotReadyAddresses?: boolean;
    readonly trafficDistribution?: string;
  };
}

export type IpFamily = "IPv4" | "IPv6";

/** core/v1 ServicePort. */
export interface ServicePort {
  readonly name?: string;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort: number | string;
  readonly appProtocol?: string;
}

/** A pod, and what only endpoints ask of it. */
export interface ServingPod extends Pod {
  readonly spec: Omit<Pod["spec"], "containers" | "initContainers"> & {
    readonly hostname?: string;
    readonly subdomain?: string;
    readonly containers: readonly ServingContainer[];
    readonly initContainers?: readonly ServingContainer[];
  };
  readonly status?: Pod["status"] & {
    readonly podIP?: string;
    readonly podIPs?: readonly { readonly ip: string }[];
  };
}

interface ServingContainer {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly ports?: readonly {
    readonly name?: string;
    readonly protocol?: string;
    readonly containerPort: number;
  }[];
}

/** core/v1 ObjectReference. */
export interface TargetReference {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly apiVersion?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** core/v1 Endpoints. */
export interface Endpoints extends Workload {
  readonly subsets?: readonly EndpointSubset[];
}

/** core/v1 EndpointSubset. */
export interface EndpointSubset {
  readonly addresses?: readonly EndpointAddress[];
  readonly notReadyAddresses?: readonly EndpointAddress[];
  readonly ports?: readonly EndpointPort[];
}

/** core/v1 EndpointAddress. */
export interface EndpointAddress {
  readonly ip: string;
  readonly hostname?: string;
  readonly nodeName?: string;
  readonly targetRef?: TargetReference;
}

/**
 * core/v1 and discovery/v1 EndpointPort; only slices may lack a number, and have a name that is
 * empty.
 */
export interface EndpointPort {
  readonly name?: string;
  readonly port?: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

/** discovery/v1 EndpointSlice. */
export interface EndpointSlice extends Workload {
  readonly addressType: string;
  readonly endpoints?: readonly Endpoint[] | null;
  readonly ports?: readonly EndpointPort[] | null;
}

/** discovery/v1 Endpoint. */
export interface Endpoint {
  readonly addresses: readonly string[];
  readonly conditions?: {
    readonly ready?: boolean;
    readonly serving?: boolean;
    readonly terminating?: boolean;
  };
  readonly hostname?: string;
  readonly targetRef?: TargetReference;
  readonly nodeName?: string;
  readonly zone?: string;
  readonly hints?: {
    readonly forZones?: readonly { readonly name: string }[];
    readonly forNodes?: readonly { readonly name: string }[];
  };
}

export const serviceKind = dynamicKind({
  apiVersion: "v1",
  kind: "Service",
  resource: "services",
  scope: "Namespaced",
}) as Kind as WorkloadKind<Service>;
export const endpointsKind = dynamicKind({
  apiVersion: "v1",
  kind: "Endpoints",
  resource: "endpoints",
  scope: "Namespaced",
}) as Kind as WorkloadKind<Endpoints>;
export const sliceKind = dynamicKind({
  apiVersion: "discovery.k8s.io/v1",
  kind: "EndpointSlice",
  resource: "endpointslices",
  scope: "Namespaced",
}) as Kind as WorkloadKind<EndpointSlice>;

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
export const referenceTo = ({ metadata: { namespace = "", name, uid } }: Pod): TargetReference => ({
  kind: "Pod",
  namespace,
  name,
  uid,
});
