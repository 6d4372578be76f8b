// The desired Endpoints object of a service. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/endpoint/endpoints_controller.go.
import type { NewObject } from "../../component-helpers/meta/write-object.ts";
import { type Labels, omitKeys } from "../../component-helpers/meta/labels.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import type { GoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { repackSubsets } from "../../component-helpers/endpoints/repack-subsets.ts";
import {
  hasClusterIp,
  headlessLabel,
  referenceTo,
  triggerTimeAnnotation,
} from "../../component-helpers/endpoints/endpoint-labels.ts";
import type {
  EndpointAddress,
  EndpointPort,
  Endpoints,
  EndpointSubset,
  Service,
  Pod,
} from "homeostat/k8s/core/v1";
import {
  addressesOf,
  findPort,
  firstFamily,
  hasAddress,
  hostnameFor,
} from "../../component-helpers/endpoints/serving-pods.ts";
import { readyCondition } from "../../component-helpers/workloads/pod-state.ts";
import { maxCapacity, truncateSubsets } from "./truncate-subsets.ts";

const managedBy = {
  label: "endpoints.kubernetes.io/managed-by",
  controller: "endpoint-controller",
} as const;
const overCapacityAnnotation = "endpoints.kubernetes.io/over-capacity";
const ignoredLabels: ReadonlySet<string> = new Set([managedBy.label, headlessLabel]);

/** The subsets of a service with these pods. */
export function subsetsOf(
  service: Service,
  pods: readonly Pod[],
  order: GoOrder,
): readonly EndpointSubset[] {
  const lines = pods.flatMap((pod) => {
    const address =
      hasAddress(pod) && pod.metadata.deletionTimestamp === undefined
        ? addressOf(service, pod)
        : undefined;
    if (!address) return [];
    const isReady =
      service.spec.publishNotReadyAddresses === true || readyCondition(pod) !== undefined;
    return portsOf(service, pod).map((ports): EndpointSubset => ({
      [isReady ? "addresses" : "notReadyAddresses"]: [address],
      ports,
    }));
  });
  return repackSubsets(lines, order);
}

function addressOf(service: Service, pod: Pod): EndpointAddress | undefined {
  const [ip] = addressesOf(pod, firstFamily(service, pod));
  const hostname = hostnameFor(pod, service);
  return ip === undefined
    ? undefined
    : {
        ip,
        ...(hostname ? { hostname } : {}),
        nodeName: pod.spec.nodeName ?? "",
        targetRef: referenceTo(pod),
      };
}

/** One list of ports per service port. A headless service without ports has one empty list. */
function portsOf(
  { spec: { ports = [], clusterIP } }: Service,
  pod: Pod,
): readonly (readonly EndpointPort[])[] {
  if (ports.length === 0) return clusterIP === "None" ? [[]] : [];
  return ports.flatMap((port) => {
    const number = findPort(pod, port);
    if (number === undefined) return [];
    return [
      [
        {
          ...(port.name ? { name: port.name } : {}),
          port: number,
          protocol: port.protocol ?? "TCP",
          ...(port.appProtocol === undefined ? {} : { appProtocol: port.appProtocol }),
        },
      ],
    ];
  });
}

/** What the Endpoints object of a service follows from, besides the service. */
export interface EndpointsInput {
  readonly subsets: readonly EndpointSubset[];
  readonly found: Endpoints | undefined;
  /** The time of the change that causes the write. */
  readonly triggerTime: string | undefined;
  readonly order: GoOrder;
}

/** The object to write, based on the one found; undefined if that is current. */
export function nextEndpoints(
  service: Service,
  { subsets, found, triggerTime, order }: EndpointsInput,
): NewObject<Endpoints> | undefined {
  if (found && isRight(found, service, (current) => isSameSubsets(current, subsets, order)))
    return undefined;
  const { namespace, name, labels = {} } = service.metadata;
  const { list, truncated } = truncateSubsets(subsets);
  const kept = omitKeys(found?.metadata.annotations, [
    triggerTimeAnnotation,
    overCapacityAnnotation,
  ]);
  const annotations = {
    ...kept,
    ...(triggerTime ? { [triggerTimeAnnotation]: triggerTime } : {}),
    ...(truncated ? { [overCapacityAnnotation]: "truncated" } : {}),
  };
  const nextLabels = {
    ...omitKeys(labels, [headlessLabel]),
    ...(hasClusterIp(service) ? {} : { [headlessLabel]: "" }),
    [managedBy.label]: managedBy.controller,
  };
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    ...found,
    metadata: { ...(found?.metadata ?? { namespace, name }), labels: nextLabels, annotations },
    subsets: list,
  };
}

function isRight(
  { metadata, subsets: current = [] }: Endpoints,
  service: Service,
  isWanted: (subsets: readonly EndpointSubset[]) => boolean,
): boolean {
  const size = current.reduce(
    (sum, { addresses = [], notReadyAddresses = [] }) =>
      sum + addresses.length + notReadyAddresses.length,
    0,
  );
  if (
    size > maxCapacity ||
    metadata.annotations?.[overCapacityAnnotation] !== undefined ||
    !areLabelsRight(metadata.labels ?? {}, service.metadata.labels ?? {})
  )
    return false;
  return isWanted(current);
}

/** True when the subsets are the same in canonical form. */
function isSameSubsets(
  current: readonly EndpointSubset[],
  subsets: readonly EndpointSubset[],
  order: GoOrder,
): boolean {
  const wanted = comparable(subsets);
  return (
    deepEqual(comparable(current), wanted) ||
    deepEqual(comparable(repackSubsets(current, order)), wanted)
  );
}

function areLabelsRight(labels: Labels, wanted: Labels): boolean {
  const own = Object.entries(labels).filter(([key]) => !ignoredLabels.has(key));
  return (
    labels[managedBy.label] === managedBy.controller &&
    own.length === Object.keys(wanted).length &&
    own.every(([key, value]) => wanted[key] === value)
  );
}

/** Subsets without the resourceVersions of pods, which do not matter. */
function comparable(subsets: readonly EndpointSubset[]): readonly object[] {
  const plain = (addresses: readonly EndpointAddress[] = []): readonly object[] =>
    addresses.map(({ targetRef, ...address }) => {
      const { resourceVersion: _, ...target } = targetRef ?? {};
      return { ...address, targetRef: target };
    });
  return subsets.map(({ addresses, notReadyAddresses, ports = [] }) => ({
    addresses: plain(addresses),
    notReadyAddresses: plain(notReadyAddresses),
    ports,
  }));
}
