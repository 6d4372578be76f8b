// The order in which upstream lists ports and subsets: by a hash of the text that Go prints for the
// value. It has no meaning, but clients see it.
// Upstream: k8s.io/kubernetes/pkg/util/hash/hash.go (DeepHashObject), k8s.io/utils/dump (ForHash),
// Go's hash/fnv (New128a).
import { compareBytewise } from "homeostat/api";
import type { EndpointPort as SlicePort } from "homeostat/k8s/discovery/v1";
import type {
  EndpointAddress,
  EndpointPort,
  EndpointSubset,
  ObjectReference,
} from "homeostat/k8s/core/v1";

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

/** Ports of an Endpoints object, in order. */
export const orderPorts = (ports: readonly EndpointPort[]): readonly EndpointPort[] =>
  byHash(ports, (port) => `(v1.EndpointPort){${portFields(port)}}`);

/** Ports of a slice, in order. */
export const orderSlicePorts = (ports: readonly SlicePort[]): readonly SlicePort[] =>
  byHash(ports, (port) => `(v1.EndpointPort){${slicePortFields(port)}}`);

/** Subsets whose addresses and ports are in order already. */
export const orderSubsets = (subsets: readonly EndpointSubset[]): readonly EndpointSubset[] =>
  subsets.length < 2 ? subsets : byHash(subsets, subsetText);

function byHash<T>(values: readonly T[], print: (value: T) => string): readonly T[] {
  if (values.length < 2) return values;
  const hashed = values.map((value) => ({ value, hash: fnv128a(print(value)) }));
  return hashed.toSorted((a, b) => compareBytewise(a.hash, b.hash)).map(({ value }) => value);
}

const pointer = (type: string, value: string | number | undefined): string =>
  `(*${type})${value ?? "<nil>"}`;

const portFields = ({ name = "", port, protocol, appProtocol }: EndpointPort): string =>
  `Name:(string)${name} Port:(int32)${port} Protocol:(v1.Protocol)${protocol ?? ""} AppProtocol:${pointer("string", appProtocol)}`;

const slicePortFields = ({ name, port, protocol, appProtocol }: SlicePort): string =>
  `Name:${pointer("string", name)} Protocol:${pointer("v1.Protocol", protocol)} Port:${pointer("int32", port)} AppProtocol:${pointer("string", appProtocol)}`;

const subsetText = ({ addresses, notReadyAddresses, ports }: EndpointSubset): string =>
  `(v1.EndpointSubset){Addresses:${list("EndpointAddress", addresses, addressFields)} NotReadyAddresses:${list("EndpointAddress", notReadyAddresses, addressFields)} Ports:${list("EndpointPort", ports, portFields)}}`;

const list = <T>(
  type: string,
  values: readonly T[] | undefined,
  fields: (value: T) => string,
): string =>
  `([]v1.${type})${values ? `[${values.map((value) => `{${fields(value)}}`).join(" ")}]` : "<nil>"}`;

const addressFields = ({ ip, hostname = "", nodeName, targetRef }: EndpointAddress): string =>
  `IP:(string)${ip} Hostname:(string)${hostname} NodeName:${pointer("string", nodeName)} TargetRef:(*v1.ObjectReference)${targetRef ? `{${targetFields(targetRef)}}` : "<nil>"}`;

const targetFields = ({
  kind = "",
  namespace = "",
  name = "",
  uid = "",
  apiVersion = "",
  resourceVersion = "",
  fieldPath = "",
}: ObjectReference): string =>
  `Kind:(string)${kind} Namespace:(string)${namespace} Name:(string)${name} UID:(types.UID)${uid} APIVersion:(string)${apiVersion} ResourceVersion:(string)${resourceVersion} FieldPath:(string)${fieldPath}`;
