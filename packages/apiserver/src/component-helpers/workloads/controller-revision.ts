// ControllerRevisions: the template of a set at some time, as a patch that restores it. Names,
// hashes and order are upstream's, letter by letter. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go,
// statefulset/stateful_set_utils.go and daemon/update.go (getPatch).
import { byCreation } from "../meta/by-creation.ts";
import type { NamedObject } from "../meta/write-object.ts";
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { encodeSorted, safeEncode } from "./template-hash.ts";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { ControllerRevision } from "homeostat/k8s/apps/v1";

/** A ControllerRevision to be created. */
export type NewRevision = NamedObject<ControllerRevision> & { readonly data: Json };

/** The label of pods and revisions with the hash of the revision. */
export const revisionLabel = "controller-revision-hash";
/** The longest prefix of a name that leaves room for the hash. */
const longestPrefix = 223;

/** The patch that replaces the template of a set. */
export const templatePatch = (template: PodTemplateSpec): Json => ({
  spec: { template: { ...(template as unknown as JsonObject), $patch: "replace" } },
});

/** The template that a revision restores, or `now` if it has none. */
export function templateOf(
  { data }: Pick<ControllerRevision, "data">,
  now: PodTemplateSpec,
): PodTemplateSpec {
  const patch = jsonOf(data);
  const spec = isObject(patch) ? patch["spec"] : undefined;
  const template = isObject(spec) ? spec["template"] : undefined;
  if (!isObject(template)) return now;
  const { $patch: _, ...rest } = template;
  return rest as unknown as PodTemplateSpec;
}

/** True when two revisions restore the same template. */
export const isSameData = (a: ControllerRevision["data"], b: ControllerRevision["data"]): boolean =>
  encodeData(jsonOf(a)) === encodeData(jsonOf(b));

/** A RawExtension is any JSON value. */
const jsonOf = (data: ControllerRevision["data"]): Json => (data ?? null) as Json;

/**
 * JSON as Go encodes it, the input of the hash: without `<`, `>`, `&` and line separators in
 * strings.
 */
export const encodeData = (data: Json): string =>
  encodeSorted(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The hash of a StatefulSet's revision, e.g. `7c4d8f5b6d`: FNV-1 over its data and the number of
 * collisions so far.
 */
export function revisionHash(data: Json, collisions: number): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${encodeData(data)}${collisions}`))
    hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeEncode(hash >>> 0);
}

/** The name of a revision, from that of its owner. */
export const revisionName = (owner: string, hash: string): string =>
  `${owner.slice(0, longestPrefix)}-${hash}`;

/** Orders by revision, then by creation time and name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byCreation(a, b);
}
