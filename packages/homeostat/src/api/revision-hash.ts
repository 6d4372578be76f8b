// Names of ControllerRevisions, letter by letter as the StatefulSet controller makes them. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go (HashControllerRevision,
// ControllerRevisionName), k8s.io/apimachinery/pkg/util/rand (SafeEncodeString).
import type { Json } from "./json.ts";
import { compareBytewise, encodeJson } from "./encode-json.ts";

/** The longest prefix of a name that leaves room for the hash. */
const longestPrefix = 223;

/** No vowels, and nothing that looks like one. */
const safe = "bcdfghjklmnpqrstvwxz2456789";

/** A number in letters that are fit for names, e.g. `5d8f7c6b9`. */
export const safeEncode = (hash: number): string =>
  [...String(hash)].map((digit) => safe[digit.charCodeAt(0) % safe.length]).join("");

/** JSON with its keys in order, as Go prints a map. */
export const encodeSorted = (value: Json): string => encodeJson(sorted(value));

/**
 * JSON as Go encodes it, the input of the hash: without `<`, `>`, `&` and line separators in
 * strings.
 */
export const encodeRevisionData = (data: Json): string =>
  encodeSorted(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The hash of a revision, e.g. `7c4d8f5b6d`: FNV-1 over its data and the number of collisions so
 * far.
 */
export function revisionHash(data: Json, collisions: number): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${encodeRevisionData(data)}${collisions}`))
    hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeEncode(hash >>> 0);
}

/** The name of a revision, from that of its owner. */
export const revisionName = (owner: string, hash: string): string =>
  `${owner.slice(0, longestPrefix)}-${hash}`;

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted(compareBytewise)
      .map((key) => [key, sorted(value[key]!)]),
  );
}
