// The rules of strategic merge patch, which are tags of the Go types of a built-in kind.
// Upstream: k8s.io/apimachinery/pkg/util/strategicpatch/meta.go,
// third_party/forked/golang/json/fields.go.
import { plainError } from "../errors/api-errors.ts";
import { quoteGo } from "../errors/field-error.ts";
import type { GoField, KindData, TypeRef } from "../kind-data/kind-data.ts";

/** A Go type below the root, e.g. a struct, or the element type of a list. */
export interface PatchType {
  readonly ref: TypeRef;
  readonly pointer: boolean;
  readonly data: KindData;
}

/** A field's rules and the type that its value (or its items) are merged by. */
export interface PatchField {
  readonly type: PatchType;
  readonly strategy: "merge" | "replace" | "";
  readonly mergeKey: string;
}

/** The type of whole objects, e.g. of `io.k8s.api.apps.v1.Deployment`. */
export const patchTypeOf = (data: KindData, model: string): PatchType => ({
  ref: { at: "struct", type: model },
  pointer: false,
  data,
});

/** Go's name for the kind of a type. */
export function goKindOf({ ref, pointer }: PatchType): string {
  if (pointer) return "ptr";
  switch (ref.at) {
    case "struct":
    case "special":
      return "struct";
    case "list":
    case "bytes":
      return "slice";
    default:
      return ref.at;
  }
}

/**
 * The field that a JSON member stands for; names match as Go's decoder matches them. Throws
 * ApiStatusError 500.
 */
export function lookUpField(type: PatchType, name: string): PatchField {
  const bare: PatchType = { ...type, pointer: false };
  if (goKindOf(bare) !== "struct")
    throw plainError(
      `merging an object in json but data type is not struct, instead is: ${goKindOf(bare)}`,
    );
  const field = fieldNamed(bare, name);
  if (!field)
    throw plainError(
      `unable to find api field in struct ${structNameOf(bare)} for the json field ${quoteGo(name)}`,
    );
  return {
    type: { ref: field.ref, pointer: field.pointer, data: type.data },
    strategy: strategyOf(field),
    mergeKey: field.patchMergeKey ?? "",
  };
}

/** As {@link lookUpField}, with the type of the list's items. */
export function lookUpList(type: PatchType, name: string): PatchField {
  const field = lookUpField(type, name);
  const { ref, pointer } = field.type;
  if (ref.at === "list" && ref.items.at === "list" && !pointer)
    throw plainError("unexpected slice of slice");
  if (ref.at === "list")
    return { ...field, type: { ...field.type, ref: ref.items, pointer: false } };
  if (pointer) return { ...field, type: { ...field.type, pointer: false } };
  throw plainError(`expected slice or array type, but got: ${goKindOf(type)}`);
}

function fieldNamed({ ref, data }: PatchType, name: string): GoField | undefined {
  if (ref.at !== "struct") return undefined;
  const struct = data.type(ref.type);
  return (
    struct.field(name) ??
    struct.members.find((member) => member.name.toLowerCase() === name.toLowerCase())
  );
}

function structNameOf({ ref, data }: PatchType): string {
  if (ref.at === "struct") return data.type(ref.type).goStruct;
  return ref.at === "special" ? ref.name : "";
}

/** retainKeys modifies another strategy; alone it means replace. */
const strategyOf = ({ patchStrategy = [] }: GoField): PatchField["strategy"] =>
  (patchStrategy.find((strategy) => strategy !== "retainKeys") as
    | "merge"
    | "replace"
    | undefined) ?? "";
