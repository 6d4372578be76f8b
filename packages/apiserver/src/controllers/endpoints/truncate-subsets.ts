// Truncates an Endpoints object to 1000 addresses, in proportion to its subsets, ready addresses
// last.
// Upstream: k8s.io/kubernetes/pkg/controller/endpoint/endpoints_controller.go (truncateEndpoints).
import type { EndpointSubset } from "homeostat/k8s/core/v1";

/** Addresses in one object, at most. */
export const maxCapacity = 1000;

/** The subsets cut to capacity, and whether anything was. */
export function truncateSubsets(subsets: readonly EndpointSubset[]): {
  readonly list: readonly EndpointSubset[];
  readonly truncated: boolean;
} {
  const ready = subsets.reduce((sum, { addresses = [] }) => sum + addresses.length, 0);
  const unready = subsets.reduce(
    (sum, { notReadyAddresses = [] }) => sum + notReadyAddresses.length,
    0,
  );
  if (ready + unready <= maxCapacity) return { list: subsets, truncated: false };
  const cutsReady = ready > maxCapacity;
  const room = cutsReady ? maxCapacity : maxCapacity - ready;
  let left = room;
  const cut = <T>(list: readonly T[]): readonly T[] => {
    const kept = list.slice(
      0,
      Math.min(left, Math.ceil((list.length / (cutsReady ? ready : unready)) * room)),
    );
    left -= kept.length;
    return kept;
  };
  const list = subsets.map(
    ({ addresses = [], notReadyAddresses = [], ...rest }): EndpointSubset => {
      const [is, isNot] = cutsReady ? [cut(addresses), []] : [addresses, cut(notReadyAddresses)];
      return {
        ...(is.length > 0 ? { addresses: is } : {}),
        ...(isNot.length > 0 ? { notReadyAddresses: isNot } : {}),
        ...rest,
      };
    },
  );
  return { list, truncated: true };
}
