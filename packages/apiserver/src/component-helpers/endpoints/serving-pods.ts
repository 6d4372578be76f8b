// The pods that serve a service, their addresses and ports, and the changes of pods that matter.
// Pure.
// Upstream: k8s.io/endpointslice/util/controller_utils.go, k8s.io/endpointslice/utils.go
// (FindPort).
import { deepEqual } from "../meta/deep-equal.ts";
import type { AddressType } from "homeostat/k8s/discovery/v1";
import { formatAddress } from "@homeostat/cel/net";
import { parseIpSloppy } from "../../kinds/validation/ip-addresses.ts";
import { isPodFinished, readyCondition } from "../workloads/pod-state.ts";
import type { Pod, Service, ServicePort } from "homeostat/k8s/core/v1";

/** Whether the pod has an address and has not finished. Slices include terminating pods. */
export function hasAddress(pod: Pod): boolean {
  return !isPodFinished(pod) && (Boolean(pod.status.podIP) || (pod.status.podIPs ?? []).length > 0);
}

/** The pod's addresses of one family, in canonical form. */
export function addressesOf(pod: Pod, family: AddressType): readonly string[] {
  const parsed = (pod.status.podIPs ?? [])
    .map(({ ip }) => parseIpSloppy(ip))
    .filter((address) => address !== undefined);
  return parsed
    .filter(({ bytes }) => (bytes.length === 16) === (family === "IPv6"))
    .map(formatAddress);
}

/** The primary address family of a service, inferred if it names none. */
export function firstFamily(
  { spec: { ipFamilies, clusterIP = "" } }: Service,
  pod: Pod,
): AddressType {
  if (ipFamilies?.[0]) return ipFamilies[0];
  const hint = clusterIP && clusterIP !== "None" ? clusterIP : (pod.status.podIP ?? "");
  return hint.includes(":") ? "IPv6" : "IPv4";
}

/** The hostname of the pod in the service's domain. */
export function hostnameFor({ metadata, spec }: Pod, service: Service): string | undefined {
  const isPeer =
    spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace;
  return isPeer && spec.hostname ? spec.hostname : undefined;
}

/** The pod port that a service port targets; undefined if the pod does not name it. */
export function findPort({ spec }: Pod, { targetPort, protocol }: ServicePort): number | undefined {
  if (typeof targetPort === "number") return targetPort;
  const sidecars = (spec.initContainers ?? []).filter(
    ({ restartPolicy }) => restartPolicy === "Always",
  );
  const named = [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }) => ports)
    .find((port) => port.name === targetPort && (port.protocol ?? "TCP") === protocol);
  return named?.containerPort;
}

/** Which services a change of a pod affects: those that select it now or before. */
export interface PodChange {
  /** True when services that select it both before and now are not affected. */
  readonly onlyMembership: boolean;
}

/** Undefined if the endpoints do not change. */
export function podChange(old: Pod, pod: Pod): PodChange | undefined {
  const moved =
    !deepEqual(old.metadata.labels ?? {}, pod.metadata.labels ?? {}) ||
    old.spec.hostname !== pod.spec.hostname ||
    old.spec.subdomain !== pod.spec.subdomain;
  const goes =
    old.metadata.deletionTimestamp !== undefined || pod.metadata.deletionTimestamp !== undefined;
  const changed =
    goes ||
    (readyCondition(old) === undefined) !== (readyCondition(pod) === undefined) ||
    ipsOf(old) !== ipsOf(pod);
  return moved || changed ? { onlyMembership: !changed } : undefined;
}

const ipsOf = ({ status }: Pod): string =>
  JSON.stringify((status.podIPs ?? []).map(({ ip }) => ip));
