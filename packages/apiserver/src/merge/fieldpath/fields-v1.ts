// Formats field sets as FieldsV1 and parses them, e.g.
// {"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{"f:app":{}}}}: an object per field, with
// "." when the field is a member and has members below it.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { type FieldSet, type FieldSetBuilder, sortedNodes } from "./field-set.ts";
import { type PathElement, parsePathElement } from "./field-path.ts";
import { MergeError } from "./merge-error.ts";

/** Decoders accept 10,000 levels, of which metadata.managedFields[] takes five. */
const maxDepth = 10_000 - 5;

/** Formats the set, with keys in upstream's order. Throws ApiStatusError 500 when too deep. */
export function formatFieldsV1(set: FieldSet): JsonObject {
  const whole: JsonObject = {};
  const open: (readonly [FieldSet, JsonObject, depth: number])[] = [[set, whole, 1]];
  for (let level = open.pop(); level; level = open.pop()) {
    const [fields, out, depth] = level;
    if (depth > maxDepth) throw plainError("invalid character '{' exceeded max depth");
    for (const { element, member, below } of sortedNodes(fields)) {
      const inner: JsonObject = below && member ? { ".": {} } : {};
      setOwn(out, element.id, inner);
      if (below) open.push([below, inner, depth + 1]);
    }
  }
  return whole;
}

/** Parses FieldsV1; unknown forms of later versions are ignored. Throws {@link MergeError}. */
export function parseFieldsV1(fields: Json): FieldSet {
  const open: Level[] = [readLevel(fields)];
  for (;;) {
    const level = open.at(-1)!;
    const next = level.keys.next();
    if (!next.done) {
      const key = next.value;
      if (key === ".") {
        level.member = true;
        continue;
      }
      const element = parsePathElement(key);
      if (element) open.push(readLevel(level.fields[key]!, element));
      continue;
    }
    open.pop();
    if (!level.element) return level.set;
    closeField(open.at(-1)!.set, level.element, level);
  }
}

interface Level {
  readonly fields: JsonObject;
  readonly keys: Iterator<string>;
  readonly set: FieldSetBuilder;
  /** The parent of these fields. */
  readonly element: PathElement | undefined;
  member: boolean;
}

function readLevel(fields: Json, element?: PathElement): Level {
  if (fields !== null && !isObject(fields)) throw new MergeError("ReadMapCB: expect { or n");
  return {
    fields: fields ?? {},
    keys: Object.keys(fields ?? {}).values(),
    set: new Map(),
    element,
    member: false,
  };
}

/** Two keys may mean one field. A field without fields below it is a member. */
function closeField(set: FieldSetBuilder, element: PathElement, inner: Level): void {
  const known = set.get(element.id);
  set.set(element.id, {
    element,
    member: inner.member || !inner.set.size || (known?.member ?? false),
    below: inner.set.size ? inner.set : known?.below,
  });
}
