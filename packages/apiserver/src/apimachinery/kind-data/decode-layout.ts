// How upstream's internal Go structs print as JSON, from the lines that tools/kinds/layout writes:
//   ["core.Taint",[["Key","string"],["Value","string"],["Effect","string"],["TimeAdded","*@Time"]]]
// Member: printed name ("" for an embedded struct), type, name in the API, flags. The name in the
// API is absent where it is the printed one with a small first letter; an embedded struct has one
// where the API nests its members (`metadata`). Flags: e omitempty, z omitzero.
// Type: `string`, `bool`, `int`, `float`, `bytes`, `@Time` (prints as it is in the API; `@JSON`
// with sorted fields, `@Raw` with fields in their own order), `*x` pointer, `[]x`, `map:x`, `|x` a
// struct with one member for each form that the API takes, else the name of a struct.
// Upstream: k8s.io/kubernetes/pkg/apis/<group>/types.go, k8s.io/apiextensions-apiserver and
// k8s.io/kube-aggregator pkg/apis.

/** One member of an internal struct. */
export interface LayoutMember {
  /** As encoding/json writes it; "" for an embedded struct, whose members stand in its place. */
  readonly printed: string;
  readonly type: string;
  /** In the API; "" when the members of an embedded struct are the owner's there as well. */
  readonly name: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
}

/** Members of internal structs by Go name, e.g. `core.Taint`. */
export interface Layout {
  /** Throws ERR_KINDS_UNKNOWN_TYPE for a struct that the data lacks. */
  members(type: string): readonly LayoutMember[];
}

type MemberLine = readonly [printed: string, type: string, name?: string, flags?: string];

const decodeMember = ([printed, type, name, flags = ""]: MemberLine): LayoutMember => ({
  printed,
  type,
  name: name || `${printed.charAt(0).toLowerCase()}${printed.slice(1)}`,
  omitEmpty: flags.includes("e"),
  omitZero: flags.includes("z"),
});

const unknownStruct = (type: string): Error =>
  Object.assign(
    new Error(
      `print a value of type ${JSON.stringify(type)}: the layout data has no such struct; regenerate it with tools/kinds/layout or correct the name`,
    ),
    { code: "ERR_KINDS_UNKNOWN_TYPE" },
  );

/** Opens the text of a `vX.Y-layout.jsonl` file. Lines are parsed when first asked for and kept. */
export function openLayout(text: string): Layout {
  const known = new Map<string, readonly LayoutMember[]>();
  return {
    members(type) {
      const members = known.get(type);
      if (members) return members;
      const start = text.indexOf(`\n["${type}",`) + 1;
      if (start === 0) throw unknownStruct(type);
      const [, lines] = JSON.parse(text.slice(start, text.indexOf("\n", start))) as readonly [
        string,
        readonly MemberLine[],
      ];
      const decoded = lines.map(decodeMember);
      known.set(type, decoded);
      return decoded;
    },
  };
}
