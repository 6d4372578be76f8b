// The definition of a kind that `defineResource` has made.
import type { Kind } from "../kind.ts";
import type { ResourceDefinition } from "./define-resource.ts";

/** Undefined for all other kinds. */
export function definitionOfKind(kind: Kind): ResourceDefinition | undefined {
  return (kind as { readonly definition?: ResourceDefinition }).definition;
}
