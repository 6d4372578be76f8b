// Parses trusted JSON: with JSON.parse where that is exact, with the exact parser where it may not
// be. JSON.parse rounds integers beyond 2^53, and V8 13.6 sometimes mistakes a key that is a single
// escape sequence, such as "\
// ", for an earlier key of one letter (its look-up of one-letter keys reads past the backslash).
import type { Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";

/**
 * Matches 16 digits where a number can stand, or a key of one escape; matches inside strings cost
 * time, not correctness. 2^53 - 1, the bound in integer schemas, is exact.
 */
const misread = /[:[,]\s*-?(?!9007199254740991(?!\d))\d{16}|"\\(?:u[0-9a-fA-F]{4}|[^u\\])"\s*:/;

/**
 * Parses JSON text; integers beyond 2^53 within int64 become bigint. Throws SyntaxError or
 * JsonSyntaxError.
 */
export function parseExact(text: string): Json {
  return misread.test(text) ? parseJson(text).value : (JSON.parse(text) as Json);
}
