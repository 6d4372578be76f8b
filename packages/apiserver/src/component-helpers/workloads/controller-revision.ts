// A revision: what a set's template was at a time, as a patch that brings it back. Which one is
// which, what it is called, and what it says. Pure; names are upstream's, letter by letter.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go,
// statefulset/stateful_set_utils.go and daemon/update.go (getPatch).
import { isObject, type Json, type JsonObject, type Kind, type Metadata } from "homeostat/api";
import { dynamicKind } from "homeostat/client";
import { encodeSorted, safeEncode } from "./template-hash.ts";
import type { PodTemplate, Workload, WorkloadKind } from "./workload-objects.ts";

/** apps/v1 ControllerRevision. */
export interface ControllerRevision extends Workload {
  readonly data?: Json;
  readonly revision: number;
}

/** A revision that is still to be made: its owner's controller has the rest. */
export interface NewRevision {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Pick<Metadata, "name" | "labels" | "annotations" | "ownerReferences"> & {
    readonly namespace?: string | undefined;
  };
  readonly data: Json;
  readonly revision: number;
}

export const controllerRevisionKind = dynamicKind({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  resource: "controllerrevisions",
  scope: "Namespaced",
}) as Kind as WorkloadKind<ControllerRevision>;

/** The label by which pods of one revision are told from others. */
export const revisionLabel = "controller-revision-hash";
/** The longest owner's name that fits into a revision's whole. */
const longestPrefix = 223;

/** The patch that puts a template in the place of another. */
export const templatePatch = (template: PodTemplate): Json => ({
  spec: { template: { ...(template as unknown as JsonObject), $patch: "replace" } },
});

/** The template that a revision brings back, or `now` where it has none. */
export function templateOf(
  { data }: Pick<ControllerRevision, "data">,
  now: PodTemplate,
): PodTemplate {
  const spec = isObject(data) ? data["spec"] : undefined;
  const template = isObject(spec) ? spec["template"] : undefined;
  if (!isObject(template)) return now;
  const { $patch: _, ...rest } = template;
  return rest as unknown as PodTemplate;
}

/** True when two revisions say the same. */
export const isSameData = (a: Json | undefined, b: Json | undefined): boolean =>
  encodeData(a ?? null) === encodeData(b ?? null);

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
