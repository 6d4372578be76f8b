// Distributes the endpoints of a service over its slices with few changes: unchanged endpoints
// stay, changed slices are filled first, one unchanged slice may take the rest, and only then new
// slices are created.
// Upstream: k8s.io/endpointslice/reconciler.go.
import type {
  Endpoint,
  EndpointPort,
  EndpointSlice,
  AddressType,
} from "homeostat/k8s/discovery/v1";
import type { Service } from "homeostat/k8s/core/v1";
import {
  identityOf,
  isSameState,
  portsKey,
} from "../../component-helpers/endpoints/endpoint-set.ts";
import {
  emptySlice,
  followsLabels,
  isOwnedBy,
  type SliceDraft,
  sliceLabels,
} from "./slice-of-service.ts";

/** Endpoints in a slice, at most (`--max-endpoints-per-slice`). */
export const maxEndpoints = 100;

/** Endpoints that offer the same ports. */
export interface EndpointGroup {
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The changes to the slices of one address type. */
export interface SlicePlan {
  readonly create: readonly SliceDraft[];
  readonly update: readonly SliceDraft[];
  readonly delete: readonly EndpointSlice[];
}

/** Plans the slices of one address type: `existing` slices, desired `groups`. */
export function planSlices(
  service: Service,
  addressType: AddressType,
  groups: readonly EndpointGroup[],
  existing: readonly EndpointSlice[],
): SlicePlan {
  const own = existing.filter((slice) => isOwnedBy(slice, service));
  const byPorts = Map.groupBy(own, ({ ports }) => portsKey(ports));
  const wanted = new Set(groups.map(({ ports }) => portsKey(ports)));
  const plans = groups.map((group) =>
    planGroup(service, addressType, group, byPorts.get(portsKey(group.ports)) ?? []),
  );
  const unwanted = [...byPorts].filter(([key]) => !wanted.has(key)).flatMap(([, slices]) => slices);
  const foreign = existing.filter((slice) => !own.includes(slice));
  const create = plans.flatMap((plan) => plan.create);
  const deletions = [...foreign, ...plans.flatMap((plan) => plan.delete), ...unwanted];
  const update = plans.flatMap((plan) => plan.update);
  if (deletions.length < existing.length || create.length > 0)
    return { create, update, delete: deletions };
  return { ...withPlaceholder(service, addressType, deletions), update };
}

/** A service without endpoints has one empty slice. */
function withPlaceholder(
  service: Service,
  addressType: AddressType,
  deletions: readonly EndpointSlice[],
): { readonly create: readonly SliceDraft[]; readonly delete: readonly EndpointSlice[] } {
  const [only] = deletions;
  if (deletions.length === 1 && only && isPlaceholder(only, service))
    return { create: [], delete: [] };
  return { create: [emptySlice(service, addressType, [])], delete: deletions };
}

function isPlaceholder(slice: EndpointSlice, service: Service): boolean {
  const labels = sliceLabels(service);
  const current = slice.metadata.labels ?? {};
  const sameLabels = [...Object.keys(labels), ...Object.keys(current)].every(
    (key) => (labels[key] ?? "") === (current[key] ?? ""),
  );
  return (slice.endpoints ?? []).length === 0 && (slice.ports ?? []).length === 0 && sameLabels;
}

/** Plans the slices of one set of ports. */
function planGroup(
  service: Service,
  addressType: AddressType,
  { ports, endpoints }: EndpointGroup,
  existing: readonly EndpointSlice[],
): SlicePlan {
  const left = new Map(endpoints.map((endpoint) => [identityOf(endpoint), endpoint]));
  const unchanged: EndpointSlice[] = [];
  const changed: SliceDraft[] = [];
  const deletions: EndpointSlice[] = [];
  for (const slice of existing) {
    const kept = keepEndpoints(slice, left);
    if (kept.changed && kept.endpoints.length === 0) deletions.push(slice);
    else if (kept.changed) changed.push(withEndpoints(slice, kept.endpoints, service));
    else if (!followsLabels(slice, service))
      changed.push(withEndpoints(slice, slice.endpoints ?? [], service));
    else unchanged.push(slice);
  }
  const rest = [...left.values()];
  const filled = changed
    .toSorted((a, b) => sizeOf(b) - sizeOf(a))
    .map((slice) => fill(slice, rest));
  const more = spread(rest, unchanged, () => emptySlice(service, addressType, ports));
  return {
    create: more.filter(isNew),
    update: [...filled, ...more.filter((slice) => !isNew(slice))],
    delete: deletions,
  };
}

/** The desired endpoints that the slice has, in their new state; removes them from `left`. */
function keepEndpoints(
  slice: EndpointSlice,
  left: Map<string, Endpoint>,
): { readonly endpoints: readonly Endpoint[]; readonly changed: boolean } {
  const endpoints: Endpoint[] = [];
  let changed = false;
  for (const endpoint of slice.endpoints ?? []) {
    const id = identityOf(endpoint);
    const wanted = left.get(id);
    if (!wanted) continue;
    left.delete(id);
    endpoints.push(wanted);
    changed ||= !isSameState(wanted, endpoint);
  }
  return { endpoints, changed: changed || endpoints.length !== sizeOf(slice) };
}

/** Puts the rest into one unchanged slice if all of it fits, otherwise into new ones. */
function spread(
  rest: Endpoint[],
  unchanged: readonly EndpointSlice[],
  create: () => SliceDraft,
): readonly SliceDraft[] {
  const slices: SliceDraft[] = [];
  while (rest.length > 0)
    slices.push(
      fill(
        (rest.length < maxEndpoints ? fullest(unchanged, rest.length) : undefined) ?? create(),
        rest,
      ),
    );
  return slices;
}

/** The slice that `count` more endpoints fill best. */
function fullest(slices: readonly EndpointSlice[], count: number): EndpointSlice | undefined {
  const room = (slice: EndpointSlice): number => maxEndpoints - count - sizeOf(slice);
  return slices
    .filter((slice) => room(slice) >= 0 && room(slice) < maxEndpoints)
    .toSorted((a, b) => room(a) - room(b))[0];
}

/** Moves as many endpoints from `rest` as there is room for. */
function fill(slice: SliceDraft, rest: Endpoint[]): SliceDraft {
  const taken = rest.splice(0, Math.max(0, maxEndpoints - sizeOf(slice)));
  return taken.length > 0 ? { ...slice, endpoints: [...(slice.endpoints ?? []), ...taken] } : slice;
}

const withEndpoints = (
  slice: EndpointSlice,
  endpoints: readonly Endpoint[],
  service: Service,
): SliceDraft => ({
  ...slice,
  metadata: { ...slice.metadata, labels: sliceLabels(service) },
  endpoints,
});
const sizeOf = ({ endpoints }: { readonly endpoints?: readonly Endpoint[] | null }): number =>
  (endpoints ?? []).length;
const isNew = ({ metadata }: SliceDraft): boolean => metadata.name === undefined;

/** Reuses slices of the service that would be deleted for those that would be created. */
export function recycle(
  { create, update, delete: deletions }: SlicePlan,
  service: Service,
): SlicePlan {
  const fresh = [...create];
  const reused: SliceDraft[] = [];
  const gone = deletions.filter((slice) => {
    const draft = fresh.at(-1);
    if (!draft || draft.addressType !== slice.addressType || !isOwnedBy(slice, service))
      return true;
    fresh.pop();
    reused.push({ ...draft, metadata: { ...draft.metadata, name: slice.metadata.name } });
    return false;
  });
  return { create: fresh, update: [...update, ...reused], delete: gone };
}
