// Number literals that Go's typed decoder tells from integers (`1.0`, `1e30`), carried through a
// JSON patch: upstream patches text, and decodes the text of the result.
// Upstream: gopkg.in/evanphx/json-patch.v4 (lazyNode).
import { isObject, type Json, type JsonObject, type ParsedJson, setOwn } from "homeostat/api";

/** Begins a string that stands for a literal. Parsed strings are well-formed and cannot have it. */
const mark = "\ud800";
/** A marked literal as encoders write it, whose texts have no surrogates. */
const written = /"\ufffd(-?\d[\d.eE+-]*)"/g;

/** Puts strings in the place of the literals, which have these paths. */
export function markLiterals(root: Json, literals: ParsedJson["floatLiterals"]): void {
  if (!literals.size) return;
  const open: (readonly [container: Json, path: string])[] = [[root, ""]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [container, path] = next;
    for (const [key, value] of Object.entries(container ?? {}) as [string, Json][]) {
      const at = isObject(container) ? `${path ? `${path}.` : ""}${key}` : `${path}[${key}]`;
      if (typeof value === "object") open.push([value, at]);
      const literal = typeof value === "number" ? literals.get(at) : undefined;
      if (literal !== undefined) setOwn(container as JsonObject, key, mark + literal);
    }
  }
}

/** The JSON of a marked value with its literals, e.g. `{"replicas":1.0}`. */
export const printLiterals = (json: string): string => json.replace(written, "$1");
