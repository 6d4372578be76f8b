// Parses JSON whose writer is trusted to write JSON: JSON.parse where that gets every value right,
// the exact tokenizer where it may not. JSON.parse rounds integers beyond 2^53, and V8 13.6
// sometimes takes a key that is a single escape sequence, such as "\\n", for an earlier key of one
// letter (its look-up of one-letter keys reads past the backslash).
import type { Json } from "./json.ts";
import { parseJson } from "./parse-json.ts";

/**
 * A run of 16 digits where a number can stand, or a key of one escape; inside strings it costs
 * time, never correctness. 2^53 - 1, the bound that schemas of integers name, is exact.
 */
const misread = /[:[,]\s*-?(?!9007199254740991(?!\d))\d{16}|"\\(?:u[0-9a-fA-F]{4}|[^u\\])"\s*:/;

/**
 * Parses JSON text; integers beyond 2^53 within int64 become bigint. Throws SyntaxError or
 * JsonSyntaxError.
 */
export function parseExact(text: string): Json {
  return misread.test(text) ? parseJson(text).value : (JSON.parse(text) as Json);
}
