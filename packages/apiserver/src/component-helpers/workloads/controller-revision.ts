// A revision: what a set's template was at a time, as a patch that brings it back. Which one is
// which, what it is called, and what it says. Pure; names are upstream's, letter by letter.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go,
// statefulset/stateful_set_utils.go and daemon/update.go (getPatch).
import type { NamedObject } from "../meta/write-object.ts";
import { isObject, type Json, type JsonObject } from "homeostat/api";
import { encodeSorted, safeEncode } from "./template-hash.ts";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { ControllerRevision } from "homeostat/k8s/apps/v1";

/** A ControllerRevision to be created. */
export type NewRevision = NamedObject<ControllerRevision> & { readonly data: Json };

/** The label of pods and revisions with the hash of the revision. */
export const revisionLabel = "controller-revision-hash";
/** The longest owner's name that fits into a revision's whole. */
const longestPrefix = 223;

/** The patch that puts a template in the place of another. */
export const templatePatch = (template: PodTemplateSpec): Json => ({
  spec: { template: { ...(template as unknown as JsonObject), $patch: "replace" } },
});

/** The template that a revision brings back, or `now` where it has none. */
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

/** True when two revisions say the same. */
export const isSameData = (a: ControllerRevision["data"], b: ControllerRevision["data"]): boolean =>
  encodeData(jsonOf(a)) === encodeData(jsonOf(b));

/** A RawExtension is any JSON value. */
const jsonOf = (data: ControllerRevision["data"]): Json => (data ?? null) as Json;

/** As Go prints it, in which form it is hashed: no `<`, `>`, `&` or line separators in strings. */
export const encodeData = (data: Json): string =>
  encodeSorted(data).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/**
 * The hash that a stateful set's revision bears, e.g. `7c4d8f5b6d`: FNV-1 over its data and the
 * number of collisions so far.
 */
export function revisionHash(data: Json, collisions: number): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(`${encodeData(data)}${collisions}`))
    hash = Math.imul(hash, 0x01000193) ^ byte;
  return safeEncode(hash >>> 0);
}

/** The name of a revision by its owner's. */
export const revisionName = (owner: string, hash: string): string =>
  `${owner.slice(0, longestPrefix)}-${hash}`;

/** The older first; of equals, the one that was made first. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return (
    a.revision - b.revision ||
    compare(a.metadata.creationTimestamp, b.metadata.creationTimestamp) ||
    compare(a.metadata.name, b.metadata.name)
  );
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
