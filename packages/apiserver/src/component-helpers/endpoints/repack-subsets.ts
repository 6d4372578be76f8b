// The canonical form of the subsets of an Endpoints object: addresses with the same ports together,
// each address once, everything in order.
// Upstream: k8s.io/kubernetes/pkg/api/v1/endpoints/util.go (RepackSubsets).
import type { GoOrder } from "./go-order.ts";
import type { EndpointAddress, EndpointPort, EndpointSubset } from "homeostat/k8s/core/v1";

/** The addresses that offer a port, and whether they are ready, by ip and uid. */
interface Offer {
  readonly port: EndpointPort | undefined;
  readonly ready: Map<string, boolean>;
}

/**
 * Converts subsets to the canonical form. An address that is not ready in one of them is not ready.
 */
export function repackSubsets(
  subsets: readonly EndpointSubset[],
  order: GoOrder,
): readonly EndpointSubset[] {
  const addresses = new Map<string, EndpointAddress>();
  const offers = new Map<string, Offer>();
  for (const { addresses: ready = [], notReadyAddresses: unready = [], ports = [] } of subsets) {
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const key = JSON.stringify(port ?? null);
      const offer = offers.get(key) ?? { port, ready: new Map() };
      offers.set(key, offer);
      for (const address of ready) note(address, true, offer, addresses);
      for (const address of unready) note(address, false, offer, addresses);
    }
  }
  const joined = [...joinPorts([...offers.values()]).values()];
  return order.subsets(
    joined.map(({ ports, ready }) => toSubset(order.ports(ports), ready, addresses)),
  );
}

function note(
  address: EndpointAddress,
  isReady: boolean,
  { ready }: Offer,
  addresses: Map<string, EndpointAddress>,
): void {
  const key = `${address.ip}/${address.targetRef?.uid ?? ""}`;
  if (!addresses.has(key)) addresses.set(key, address);
  if (ready.get(key) !== false) ready.set(key, isReady);
}

/** One entry for each set of addresses, with all ports that they offer. */
function joinPorts(
  offers: readonly Offer[],
): ReadonlyMap<
  string,
  { readonly ports: EndpointPort[]; readonly ready: ReadonlyMap<string, boolean> }
> {
  const joined = new Map<
    string,
    { readonly ports: EndpointPort[]; readonly ready: ReadonlyMap<string, boolean> }
  >();
  for (const { port, ready } of offers) {
    const key = JSON.stringify([...ready].toSorted(([a], [b]) => (a < b ? -1 : 1)));
    const one = joined.get(key) ?? { ports: [], ready };
    joined.set(key, one);
    if (port) one.ports.push(port);
  }
  return joined;
}

function toSubset(
  ports: readonly EndpointPort[],
  ready: ReadonlyMap<string, boolean>,
  addresses: ReadonlyMap<string, EndpointAddress>,
): EndpointSubset {
  const pick = (wanted: boolean): readonly EndpointAddress[] =>
    [...ready]
      .filter(([, is]) => is === wanted)
      .map(([key]) => addresses.get(key)!)
      .toSorted(byIpAndUid);
  const [is, isNot] = [pick(true), pick(false)];
  return {
    ...(is.length > 0 ? { addresses: is } : {}),
    ...(isNot.length > 0 ? { notReadyAddresses: isNot } : {}),
    ...(ports.length > 0 ? { ports } : {}),
  };
}

function byIpAndUid(a: EndpointAddress, b: EndpointAddress): number {
  if (a.ip !== b.ip) return a.ip < b.ip ? -1 : 1;
  return (a.targetRef?.uid ?? "") < (b.targetRef?.uid ?? "") ? -1 : 1;
}
