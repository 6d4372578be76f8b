// Merge patches whose fields the compiler checks.
// Upstream: RFC 7386; k8s.io/apimachinery/pkg/util/strategicpatch.
import { assertKind } from "../../api/check-kind.ts";
import type { Kind } from "../../api/kind.ts";
import type { BuiltInKind } from "../../k8s/built-in-kind.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Patch } from "../client.ts";
import type { Body, MergeFields, PatchPreconditions, StrategicFields } from "./patch-fields.ts";
import { withPreconditions } from "./preconditions.ts";

/**
 * A patch that sets the given fields, and removes those that are null; lists are replaced. With
 * preconditions, the server answers Conflict if the object has changed, and Invalid if it is
 * another one.
 *
 * @throws ERR_KIND_ARGUMENT, ERR_ARGUMENT
 */
export function mergePatch<K extends Kind>(
  kind: K,
  fields: MergeFields<Body<K>>,
  preconditions: PatchPreconditions = {},
): Patch & { readonly type: "merge" } {
  assertKind(kind, "mergePatch(…)");
  return { type: "merge", body: withPreconditions("mergePatch(…)", fields, preconditions) };
}

/**
 * As {@link mergePatch}, where the server merges lists by their keys, such as the names of
 * containers. Only built-in kinds have it; `$patch: "delete"` in an item removes it.
 *
 * @throws ERR_KIND_ARGUMENT, ERR_ARGUMENT
 */
export function strategicPatch<K extends BuiltInKind<any, any, any, any>>(
  kind: K,
  fields: StrategicFields<Body<K>>,
  preconditions: PatchPreconditions = {},
): Patch & { readonly type: "strategic" } {
  assertKind(kind, "strategicPatch(…)");
  const [group = "", version] = kind.apiVersion.split("/");
  if (version !== undefined && group.includes(".") && !group.endsWith(".k8s.io"))
    throw new HomeostatError(
      "ERR_ARGUMENT",
      `strategicPatch(…): expected a built-in kind, got ${kind.kind} of ${kind.apiVersion}`,
      { hint: "use mergePatch or client.apply: servers know no list keys of other kinds here" },
    );
  return { type: "strategic", body: withPreconditions("strategicPatch(…)", fields, preconditions) };
}
