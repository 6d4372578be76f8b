// Names made from contents: hashes in letters that form no words, and the printed form of an object
// that they are made from. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (ComputeHash),
// k8s.io/apimachinery/pkg/util/rand (SafeEncodeString).
import { compareBytewise, encodeJson, type Json, type JsonObject } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { KindData } from "../../apimachinery/kind-data/kind-data.ts";
import { dumpForHash } from "../../kinds/serializer/dump-for-hash.ts";

const templateModel = "io.k8s.api.core.v1.PodTemplateSpec";

/**
 * The hash of a template as it stands in names and labels, e.g. `5d8f7c6b9`: FNV-1a over Go's
 * printed form of the template and the number of collisions so far.
 */
export function templateHash(
  data: KindData,
  template: PodTemplateSpec,
  collisions: number | undefined,
): string {
  const count = Buffer.alloc(collisions === undefined ? 0 : 8);
  if (collisions !== undefined) count.writeInt32LE(collisions);
  const printed = dumpForHash(data, templateModel, template as unknown as JsonObject);
  let hash = 0x811c9dc5;
  for (const bytes of [Buffer.from(printed), count])
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
  return safeEncode(hash >>> 0);
}

/** No vowels, and nothing that looks like one. */
const safe = "bcdfghjklmnpqrstvwxz2456789";

/** A number in letters that are fit for names, e.g. `5d8f7c6b9`. */
export const safeEncode = (hash: number): string =>
  [...String(hash)].map((digit) => safe[digit.charCodeAt(0) % safe.length]).join("");

/** JSON with its keys in order, as Go prints a map. */
export const encodeSorted = (value: Json): string => encodeJson(sorted(value));

/** Without what says nothing: null and empty lists are to upstream as if they were not there. */
export function squeeze(value: Json): Json {
  if (Array.isArray(value)) return value.map(squeeze);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, field]) => field !== null && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(kept.map(([key, field]) => [key, squeeze(field)]));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted(compareBytewise)
      .map((key) => [key, sorted(value[key]!)]),
  );
}
