// Names made from templates, and templates without what says nothing. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/controller_utils.go (ComputeHash).
import { type Json, type JsonObject, safeEncode } from "homeostat/api";
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

/** Without what says nothing: null and empty lists are to upstream as if they were not there. */
export function squeeze(value: Json): Json {
  if (Array.isArray(value)) return value.map(squeeze);
  if (typeof value !== "object" || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, field]) => field !== null && !(Array.isArray(field) && field.length === 0),
  );
  return Object.fromEntries(kept.map(([key, field]) => [key, squeeze(field)]));
}
