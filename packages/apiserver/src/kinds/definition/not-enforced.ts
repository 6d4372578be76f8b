// Kinds that are stored, checked and shown as upstream does, yet that nothing in this server acts
// on: whoever stores one is told, so that nobody relies on it.
import type { FieldError } from "../../apimachinery/errors/field-error.ts";
import type { WriteContext } from "../../apimachinery/rest/write-context.ts";

/** Adds the warning to a write that is stored; dry runs store nothing. */
export function warnNotEnforced(
  kind: string,
  context: WriteContext,
  errors: readonly FieldError[],
): readonly FieldError[] {
  if (!errors.length && !context.dryRun)
    context.warn(`${kind} is stored but not enforced by this server yet`);
  return errors;
}
