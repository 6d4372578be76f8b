// The EndpointSlices that mirror an Endpoints object: one for each set of ports and each address
// family. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/endpointslicemirroring (reconciler.go,
// reconciler_helpers.go, utils.go).
import type { NewObject } from "../../component-helpers/meta/write-object.ts";
import { type Labels, omitKeys } from "../../component-helpers/meta/labels.ts";
import { deepEqual } from "../../component-helpers/meta/deep-equal.ts";
import { toControllerReference } from "homeostat/api";
import { formatAddress } from "@homeostat/cel/net";
import { parseIpSloppy } from "../../kinds/validation/ip-addresses.ts";
import { slicePrefix } from "../../component-helpers/endpoints/slice-writes.ts";
import {
  identityOf,
  isSameState,
  portsKey,
} from "../../component-helpers/endpoints/endpoint-set.ts";
import type { GoOrder } from "../../component-helpers/endpoints/go-order.ts";
import { repackSubsets } from "../../component-helpers/endpoints/repack-subsets.ts";
import {
  managedByLabel,
  serviceNameLabel,
  triggerTimeAnnotation,
} from "../../component-helpers/endpoints/endpoint-labels.ts";
import type {
  AddressType,
  Endpoint,
  EndpointPort,
  EndpointSlice,
} from "homeostat/k8s/discovery/v1";
import type { EndpointAddress, Endpoints } from "homeostat/k8s/core/v1";

export const mirroringController = "endpointslicemirroring-controller.k8s.io";
/** Mirrored addresses of one subset, at most. */
export const maxPerSubset = 1000;
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";

/** The changes to the mirrors; objects to create have no name. */
export interface MirrorPlan {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly NewObject<EndpointSlice>[];
  readonly delete: readonly EndpointSlice[];
  /** Invalid addresses. */
  readonly invalid: number;
  /** Skipped addresses, including invalid ones. */
  readonly skipped: number;
}

interface Mirror {
  readonly addressType: AddressType;
  readonly ports: readonly EndpointPort[];
  readonly endpoints: Map<string, Endpoint>;
}

/** Plans the mirrors of `source`; `existing` are its present ones. */
export function planMirrors(
  source: Endpoints,
  existing: readonly EndpointSlice[],
  order: GoOrder,
): MirrorPlan {
  const { mirrors, invalid, skipped } = wantedMirrors(source, order);
  const plan: {
    readonly [step in "create" | "update"]: NewObject<EndpointSlice>[];
  } & { readonly delete: EndpointSlice[] } = { create: [], update: [], delete: [] };
  const byKey = Map.groupBy(
    existing,
    ({ addressType, ports }) => `${addressType}-${portsKey(ports)}`,
  );
  for (const [key, mirror] of mirrors) {
    const [first, ...others] = byKey.get(key) ?? [];
    byKey.delete(key);
    plan.delete.push(...others);
    if (mirror.endpoints.size === 0 && first) plan.delete.push(first);
    else if (mirror.endpoints.size > 0 && !(first && isMirror(first, source, mirror)))
      plan[first ? "update" : "create"].push(toSlice(source, mirror, first?.metadata.name));
  }
  for (const slices of byKey.values()) plan.delete.push(...slices);
  return { ...recycle(plan), invalid, skipped };
}

function wantedMirrors(
  { subsets = [] }: Endpoints,
  order: GoOrder,
): {
  readonly mirrors: ReadonlyMap<string, Mirror>;
  readonly invalid: number;
  readonly skipped: number;
} {
  const mirrors = new Map<string, Mirror>();
  let [invalid, skipped] = [0, 0];
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of repackSubsets(
    subsets,
    order,
  )) {
    const slicePorts = order.slicePorts(ports.map((port) => ({ ...port, name: port.name ?? "" })));
    const key = (family: AddressType): string => `${family}-${portsKey(slicePorts)}`;
    for (const addressType of ["IPv4", "IPv6"] as const)
      if (!mirrors.has(key(addressType)))
        mirrors.set(key(addressType), { addressType, ports: slicePorts, endpoints: new Map() });
    let added = 0;
    for (const [address, ready] of [
      ...addresses.map((one) => [one, true] as const),
      ...notReadyAddresses.map((one) => [one, false] as const),
    ]) {
      if (added >= maxPerSubset) break;
      const found = toEndpoint(address, ready);
      if (found) {
        mirrors.get(key(found.family))!.endpoints.set(identityOf(found.endpoint), found.endpoint);
        added++;
      } else invalid++;
    }
    skipped += addresses.length + notReadyAddresses.length - added;
  }
  return { mirrors, invalid, skipped };
}

function toEndpoint(
  { ip, hostname, nodeName, targetRef }: EndpointAddress,
  ready: boolean,
): { readonly endpoint: Endpoint; readonly family: AddressType } | undefined {
  const address = parseIpSloppy(ip);
  if (!address) return undefined;
  const endpoint = {
    addresses: [formatAddress(address)],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName === undefined ? {} : { nodeName }),
  };
  return { endpoint, family: address.bytes.length === 4 ? "IPv4" : "IPv6" };
}

function isMirror(slice: EndpointSlice, source: Endpoints, { endpoints }: Mirror): boolean {
  const current = slice.endpoints ?? [];
  const wanted = current.map((endpoint) => endpoints.get(identityOf(endpoint)));
  const isSame =
    current.length === endpoints.size &&
    wanted.every(
      (endpoint, index) => endpoint !== undefined && isSameState(endpoint, current[index]!),
    );
  const labels = omitKeys(slice.metadata.labels, [managedByLabel, serviceNameLabel]);
  const isForeign =
    slice.metadata.ownerReferences?.some(
      ({ kind, name, uid }) =>
        kind === "Endpoints" && name === source.metadata.name && uid !== source.metadata.uid,
    ) === true;
  return (
    isSame &&
    deepEqual(labels, source.metadata.labels ?? {}) &&
    deepEqual(slice.metadata.annotations ?? {}, mirroredAnnotations(source)) &&
    !isForeign
  );
}

const mirroredAnnotations = ({ metadata }: Endpoints): Labels =>
  omitKeys(metadata.annotations, [triggerTimeAnnotation, lastApplied]);

function toSlice(
  source: Endpoints,
  { addressType, ports, endpoints }: Mirror,
  name: string | undefined,
): NewObject<EndpointSlice> {
  const { namespace, name: service, labels } = source.metadata;
  const metadata = {
    ...(name === undefined ? { generateName: slicePrefix(service) } : { name }),
    namespace,
    labels: { ...labels, [serviceNameLabel]: service, [managedByLabel]: mirroringController },
    annotations: mirroredAnnotations(source),
    ownerReferences: [
      toControllerReference({ apiVersion: "v1", kind: "Endpoints", metadata: source.metadata }),
    ],
  };
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata,
    addressType,
    endpoints: [...endpoints.values()].slice(0, maxPerSubset),
    ports: ports.length > 0 ? ports : null,
  };
}

/** Reuses mirrors that would be deleted for those that would be created. */
function recycle({
  create,
  update,
  delete: deletions,
}: {
  readonly create: readonly NewObject<EndpointSlice>[];
  readonly update: readonly NewObject<EndpointSlice>[];
  readonly delete: readonly EndpointSlice[];
}): Pick<MirrorPlan, "create" | "update" | "delete"> {
  const left = [...deletions];
  const fresh: NewObject<EndpointSlice>[] = [];
  const reused: NewObject<EndpointSlice>[] = [];
  for (const draft of create) {
    const at = left.findIndex(({ addressType }) => addressType === draft.addressType);
    const [old] = at < 0 ? [] : left.splice(at, 1);
    if (old) reused.push({ ...draft, metadata: { ...draft.metadata, name: old.metadata.name } });
    else fresh.push(draft);
  }
  return { create: fresh, update: [...update, ...reused], delete: left };
}
