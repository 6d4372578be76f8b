// Embedded structs, which encoding/json flattens into their parent.
// Upstream: Go's encoding/json (typeFields).
import type { GoField, GoStruct } from "./kind-data.ts";

/** A JSON member of a struct. */
export interface ExpandedMember {
  readonly field: GoField;
  /** The embedded structs on the way to the field, outermost first. */
  readonly embedded: readonly GoField[];
}

/** The JSON members of `fields` in Go's order, embedded structs expanded in place. */
export function expandMembers(
  fields: readonly GoField[],
  resolve: (model: string) => GoStruct,
  embedded: readonly GoField[] = [],
): readonly ExpandedMember[] {
  return fields.flatMap((field) =>
    field.inline && field.ref.at === "struct"
      ? expandMembers(resolve(field.ref.type).fields, resolve, [...embedded, field])
      : [{ field, embedded }],
  );
}
