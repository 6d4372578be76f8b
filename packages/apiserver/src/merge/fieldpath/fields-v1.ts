// Field sets to FieldsV1 and back, e.g.
// {"f:data":{".":{},"f:a":{}},"f:metadata":{"f:labels":{"f:app":{}}}}: an object per field, "."
// where the field itself is a member besides others below it.
// Upstream: sigs.k8s.io/structured-merge-diff/v6/fieldpath/serialize.go.
import { isObject, type Json, type JsonObject, setOwn } from "homeostat/api";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { type FieldSet, type FieldSetBuilder, sortedNodes } from "./field-set.ts";
import { type PathElement, parsePathElement } from "./field-path.ts";
import { MergeError } from "./merge-error.ts";

/**
 * How deep FieldsV1 may be in an object that is read again: decoders go to 10,000 levels, of which
 * metadata.managedFields[] takes five.
 */
const deepest = 10_000 - 5;

/**
 * The set as an object whose keys stand in upstream's order. Throws ApiStatusError 500 for what no
 * decoder would read.
 */
export function formatFieldsV1(set: FieldSet): JsonObject {
  const whole: JsonObject = {};
  const open: (readonly [FieldSet, JsonObject, depth: number])[] = [[set, whole, 1]];
  for (let level = open.pop(); level; level = open.pop()) {
    const [fields, out, depth] = level;
    if (depth > deepest) throw plainError("invalid character '{' exceeded max depth");
    for (const { element, member, below } of sortedNodes(fields)) {
      const inner: JsonObject = below && member ? { ".": {} } : {};
      setOwn(out, element.id, inner);
      if (below) open.push([below, inner, depth + 1]);
    }
  }
  return whole;
}

/** Reads FieldsV1; forms of a later version are left out. Throws {@link MergeError}. */
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
  /** The field that these are below. */
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

/** Two keys may stand for one field; nothing below a field makes it a member. */
function closeField(set: FieldSetBuilder, element: PathElement, inner: Level): void {
  const known = set.get(element.id);
  set.set(element.id, {
    element,
    member: inner.member || !inner.set.size || (known?.member ?? false),
    below: inner.set.size ? inner.set : known?.below,
  });
}
