// The order in which upstream lists ports and subsets: by a hash of the text that Go prints for the
// value. It has no meaning, but clients see it.
// Upstream: k8s.io/kubernetes/pkg/util/hash/hash.go (DeepHashObject), k8s.io/utils/dump (ForHash),
// Go's hash/fnv (New128a).
import { compareBytewise, type JsonObject } from "homeostat/api";
import type { EndpointPort as SlicePort } from "homeostat/k8s/discovery/v1";
import type { EndpointPort, EndpointSubset } from "homeostat/k8s/core/v1";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import { dumpForHash } from "../../kinds/serializer/dump-for-hash.ts";

/** Puts lists in order. */
export interface GoOrder {
  /** Ports of an Endpoints object. */
  ports(ports: readonly EndpointPort[]): readonly EndpointPort[];
  /** Ports of an EndpointSlice. */
  slicePorts(ports: readonly SlicePort[]): readonly SlicePort[];
  /** Subsets whose addresses and ports are in order already. */
  subsets(subsets: readonly EndpointSubset[]): readonly EndpointSubset[];
}

/** The order of one Kubernetes version: its data has the fields that Go prints. */
export const createGoOrder = (data: KindData): GoOrder => ({
  ports: (ports) => orderByHash(data, "io.k8s.api.core.v1.EndpointPort", ports),
  slicePorts: (ports) => orderByHash(data, "io.k8s.api.discovery.v1.EndpointPort", ports),
  subsets: (subsets) => orderByHash(data, "io.k8s.api.core.v1.EndpointSubset", subsets),
});

function orderByHash<T extends object>(
  data: KindData,
  model: string,
  values: readonly T[],
): readonly T[] {
  if (values.length < 2) return values;
  const hashed = values.map((value) => {
    const hash = fnv128a(dumpForHash(data, model, value as JsonObject));
    return { value, hash };
  });
  return hashed.toSorted((a, b) => compareBytewise(a.hash, b.hash)).map(({ value }) => value);
}

const encoder = new TextEncoder();
const offset = [0x6295c58d, 0x62b82175, 0x07bb0142, 0x6c62272e] as const;
const prime = 0x13b;

/** FNV-1a of 128 bits as 32 hexadecimal digits. */
export function fnv128a(text: string): string {
  let [a, b, c, d] = offset as readonly [number, number, number, number];
  for (const byte of encoder.encode(text)) {
    a = (a ^ byte) >>> 0;
    // The prime is 2^88 + 0x13b: a product with the small part, and a shift by two words and 24
    // bits.
    const pa = a * prime;
    const pb = b * prime + Math.floor(pa / 2 ** 32);
    const pc = c * prime + Math.floor(pb / 2 ** 32) + ((a << 24) >>> 0);
    const pd = d * prime + Math.floor(pc / 2 ** 32) + ((a >>> 8) | (b << 24));
    [a, b, c, d] = [pa >>> 0, pb >>> 0, pc >>> 0, pd >>> 0];
  }
  return [d, c, b, a].map((word) => word.toString(16).padStart(8, "0")).join("");
}
