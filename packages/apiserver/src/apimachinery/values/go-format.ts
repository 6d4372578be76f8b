// Prints JSON values as Go's fmt does with %v and %T, for accessor errors and selectable fields.
// Upstream: Go's fmt and strconv packages.
import { compareBytewise, type Json, type JsonObject } from "homeostat/api";
import { formatGoNumber } from "../errors/field-error.ts";

/**
 * A value under %v, e.g. `map[a:1 b:[x y]]`, `<nil>`. Not recursive: values may be nested deeply.
 */
export function formatGoValue(value: Json | undefined): string {
  let text = "";
  const open: Piece[] = [{ value }];
  for (let piece = open.pop(); piece !== undefined; piece = open.pop())
    text += typeof piece === "string" ? piece : openValue(piece.value, open);
  return text;
}

/** A piece that is still to be written; a stack holds them, the next one on top. */
type Piece = string | { readonly value: Json | undefined };

/** Returns the beginning of the value and pushes its members on the stack. */
function openValue(value: Json | undefined, open: Piece[]): string {
  if (value === undefined || value === null) return "<nil>";
  if (typeof value === "string") return value;
  if (typeof value !== "object") return formatGoNumber(value);
  open.push("]");
  const names = Array.isArray(value) ? undefined : Object.keys(value).sort(compareBytewise);
  const members = names
    ? names.map((name) => (value as JsonObject)[name])
    : (value as readonly Json[]);
  for (let i = members.length - 1; i >= 0; i--)
    open.push({ value: members[i] }, `${i ? " " : ""}${names ? `${names[i]}:` : ""}`);
  return names ? "map[" : "[";
}

/** A value's Go type under %T, as the unstructured decoder would have made it. */
export function formatGoType(value: Json | undefined): string {
  if (value === undefined || value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "string") return "string";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" || Number.isSafeInteger(value) ? "int64" : "float64";
}
