// Embedded structs, which encoding/json flattens into their parent.
// Upstream: Go's encoding/json (typeFields).
import type { FieldFacts, TypeFacts } from "./kind-data.ts";

/** A JSON member of a struct. */
export interface ExpandedMember {
  readonly field: FieldFacts;
  /** The embedded structs on the way to the field, outermost first. */
  readonly embedded: readonly FieldFacts[];
}

/** The JSON members of `fields` in Go's order, embedded structs expanded in place. */
export function expandMembers(
  fields: readonly FieldFacts[],
  resolve: (model: string) => TypeFacts,
  embedded: readonly FieldFacts[] = [],
): readonly ExpandedMember[] {
  return fields.flatMap((field) =>
    field.inline && field.ref.at === "struct"
      ? expandMembers(resolve(field.ref.type).fields, resolve, [...embedded, field])
      : [{ field, embedded }],
  );
}
