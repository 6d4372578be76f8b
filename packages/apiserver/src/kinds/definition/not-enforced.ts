// The warning of kinds that this server stores, validates and shows as upstream does, but that do
// not take effect.
import type { ValidationContext } from "../../apimachinery/rest/write-context.ts";

/** The warning of a write that is stored; dry runs store nothing. */
export const notEnforcedWarnings = (kind: string, context: ValidationContext): readonly string[] =>
  context.dryRun ? [] : [`${kind} is stored but not enforced by this server yet`];
