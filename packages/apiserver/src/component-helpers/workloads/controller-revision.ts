// ControllerRevisions: the template of a set at some time, as a patch that restores it. Names,
// hashes and order are upstream's, letter by letter. Pure.
// Upstream: k8s.io/kubernetes/pkg/controller/history/controller_history.go,
// statefulset/stateful_set_utils.go and daemon/update.go (getPatch).
import { byCreation } from "../meta/by-creation.ts";
import type { NamedObject } from "../meta/write-object.ts";
import { encodeRevisionData, isObject, type Json, type JsonObject } from "homeostat/api";
import type { PodTemplateSpec } from "homeostat/k8s/core/v1";
import type { ControllerRevision } from "homeostat/k8s/apps/v1";

/** A ControllerRevision to be created. */
export type NewRevision = NamedObject<ControllerRevision> & { readonly data: Json };

/** The label of pods and revisions with the hash of the revision. */
export const revisionLabel = "controller-revision-hash";

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
  encodeRevisionData(jsonOf(a)) === encodeRevisionData(jsonOf(b));

/** A RawExtension is any JSON value. */
const jsonOf = (data: ControllerRevision["data"]): Json => (data ?? null) as Json;

/** Orders by revision, then by creation time and name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byCreation(a, b);
}
