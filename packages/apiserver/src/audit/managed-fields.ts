// Leaves managedFields out of what is recorded: of an object, of the items of a list and of the
// objects in a Table. Works on texts, which keep the order and the numbers of Go's encoder.
// Upstream: k8s.io/apiserver/pkg/audit/request.go (copyWithoutManagedFields).
import { isObject, type JsonObject } from "homeostat/api";

/** A copy without them. */
export function withoutManagedFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata)) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

/** The members that hold metadata. */
const holders = new Set(["metadata", "items[].metadata", "rows[].object.metadata"]);
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gs;

/** The JSON of an object, a list or a Table without them. */
export function jsonWithoutManagedFields(json: string): string {
  let out = "";
  let kept = 0;
  for (const { start, end } of managedFieldsIn(json)) {
    const isFirst = json[start - 1] !== ",";
    out += json.slice(kept, isFirst ? start : start - 1);
    kept = isFirst && json[end] === "," ? end + 1 : end;
  }
  return out + json.slice(kept);
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Where the members begin and end, commas left out. */
function* managedFieldsIn(json: string): Generator<Span> {
  const path: string[] = [];
  let key = "";
  let found: { readonly start: number; readonly depth: number } | undefined;
  let text = { value: "", start: 0 };
  for (const { 0: token, index } of json.matchAll(tokens)) {
    if (token[0] === '"') text = { value: token, start: index };
    else if (token === ":") {
      key = text.value.slice(1, -1);
      const isIn = key === "managedFields" && holders.has(path.join(""));
      if (isIn && !found) found = { start: text.start, depth: path.length };
    } else if (token === "{" || token === "[") {
      path.push(path.length && key ? `${path.length > 1 ? "." : ""}${key}` : "");
      if (token === "[") path[path.length - 1] += "[]";
      key = "";
    } else {
      if (found && path.length === found.depth) {
        yield { start: found.start, end: index };
        found = undefined;
      }
      if (token !== ",") path.pop();
      key = "";
    }
  }
}
