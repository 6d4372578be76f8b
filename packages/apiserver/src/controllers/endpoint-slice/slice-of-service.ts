// The content of an EndpointSlice: endpoints, ports, labels and owner. Pure.
// Upstream: k8s.io/endpointslice/utils.go.
import type { NewObject } from "../../component-helpers/meta/write-object.ts";
import { type Labels, omitKeys } from "../../component-helpers/meta/labels.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { toControllerReference } from "homeostat/api";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import type { GoOrder } from "../../component-helpers/endpoints/go-order.ts";
import {
  hasClusterIp,
  headlessLabel,
  managedByLabel,
  referenceTo,
  serviceNameLabel,
} from "../../component-helpers/endpoints/endpoint-labels.ts";
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
  AddressType,
} from "homeostat/k8s/discovery/v1";
import type { Service, Pod } from "homeostat/k8s/core/v1";
import { slicePrefix } from "../../component-helpers/endpoints/slice-writes.ts";
import {
  addressesOf,
  findPort,
  hostnameFor,
} from "../../component-helpers/endpoints/serving-pods.ts";

export const sliceController = "endpointslice-controller.k8s.io";
const reserved = [serviceNameLabel, managedByLabel, headlessLabel];

/** An EndpointSlice to be written; one without a name is created. */
export type SliceDraft = NewObject<EndpointSlice>;

/** The address families of the slices of a service; both if the service names none. */
export function familiesOf({
  spec: { ipFamilies = [], clusterIP = "" },
}: Service): readonly AddressType[] {
  if (ipFamilies.length > 0) return ipFamilies.filter((family) => family !== "");
  if (clusterIP && clusterIP !== "None") return [clusterIP.includes(":") ? "IPv6" : "IPv4"];
  return ["IPv4", "IPv6"];
}

/** The endpoint of a pod; `zone` is that of its node. */
export function toEndpoint(
  pod: Pod,
  service: Service,
  family: AddressType,
  zone: string | undefined,
): Endpoint {
  const serving = readyCondition(pod) !== undefined;
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const hostname = hostnameFor(pod, service);
  return {
    addresses: addressesOf(pod, family),
    conditions: {
      ready: service.spec.publishNotReadyAddresses === true || (serving && !terminating),
      serving,
      terminating,
    },
    ...(hostname ? { hostname } : {}),
    targetRef: referenceTo(pod),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

/**
 * The target ports of a service in a pod, in order. Named ports that the pod lacks are left out.
 */
export function slicePorts(
  { spec: { ports = [] } }: Service,
  pod: Pod,
  order: GoOrder,
): readonly EndpointPort[] {
  const found = ports.flatMap((port) => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    return [
      {
        name: port.name ?? "",
        port: number,
        protocol: port.protocol ?? "TCP",
        ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
      },
    ];
  });
  return order.slicePorts(found);
}

/** A new slice without endpoints. */
export function emptySlice(
  service: Service,
  addressType: AddressType,
  ports: readonly EndpointPort[],
): SliceDraft {
  const { name, namespace } = service.metadata;
  const ownerReferences = [
    toControllerReference({ apiVersion: "v1", kind: "Service", metadata: service.metadata }),
  ];
  const metadata = {
    generateName: slicePrefix(name),
    ...(namespace ? { namespace } : {}),
    labels: sliceLabels(service),
    ownerReferences,
  };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata,
    addressType,
    endpoints: null,
    ports: ports.length > 0 ? ports : null,
  };
}

/** The labels of the slices of a service: its own and the controller's. */
export function sliceLabels(service: Service): Labels {
  return {
    ...unreserved(service.metadata.labels),
    ...(hasClusterIp(service) ? {} : { [headlessLabel]: "" }),
    [serviceNameLabel]: service.metadata.name,
    [managedByLabel]: sliceController,
  };
}

/** Whether a slice has the labels of its service. */
export const followsLabels = (slice: EndpointSlice, { metadata }: Service): boolean =>
  deepEqual(unreserved(slice.metadata.labels), unreserved(metadata.labels));

const unreserved = (labels: Labels | undefined): Labels => omitKeys(labels, reserved);

/** Whether the slice belongs to this service, and not to a former one of that name. */
export const isOwnedBy = ({ metadata }: EndpointSlice, service: Service): boolean =>
  metadata.ownerReferences?.some(
    ({ uid, kind, apiVersion }) =>
      uid === service.metadata.uid && kind === "Service" && apiVersion === "v1",
  ) === true;
