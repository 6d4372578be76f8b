// Endpoints by identity: endpoints with the same addresses, hostname and target are the same,
// whatever their state.
// Upstream: k8s.io/endpointslice/util/endpointset.go, controller_utils.go
// (EndpointsEqualBeyondHash).
import type { Endpoint, EndpointPort } from "homeostat/k8s/discovery/v1";

/** The identity of an endpoint. */
export const identityOf = ({ addresses, hostname = "", targetRef }: Endpoint): string =>
  JSON.stringify([
    addresses.toSorted(),
    hostname,
    targetRef?.namespace ?? "",
    targetRef?.name ?? "",
  ]);

/** Whether two endpoints of one identity have the same state; hints do not count. */
export function isSameState(a: Endpoint, b: Endpoint): boolean {
  return stateOf(a) === stateOf(b);
}

function stateOf({
  nodeName,
  zone,
  conditions: { ready, serving, terminating } = {},
  targetRef,
}: Endpoint): string {
  const { kind, namespace, name, uid, apiVersion, fieldPath } = targetRef ?? {};
  const values = [
    nodeName,
    zone,
    ready,
    serving,
    terminating,
    kind,
    namespace,
    name,
    uid,
    apiVersion,
    fieldPath,
  ];
  return JSON.stringify(values.map((value) => value ?? null));
}

/** The key of a set of ports, whatever their order. */
export const portsKey = (ports: readonly EndpointPort[] | null | undefined): string =>
  JSON.stringify((ports ?? []).map(portKey).toSorted());

const portKey = ({ name, port, protocol, appProtocol }: EndpointPort): string =>
  JSON.stringify([name ?? null, port ?? null, protocol ?? null, appProtocol ?? null]);
