// What users read: `status` is there even before anybody wrote one, because the types of our own resources say so.
import type { Kind } from "../api/kind.ts";
import type { ResourceDefinition } from "../api/resource/define-resource.ts";

/** The object itself, or a shallow copy with an empty status where a resource of ours has none yet. */
export function readable<O>(kind: Kind, object: O): O {
  const definition = (kind as { readonly definition?: ResourceDefinition }).definition;
  if (!definition || typeof object !== "object" || object === null || (object as { readonly status?: unknown }).status !== undefined) return object;
  return { ...object, status: {} };
}
