// Reads JSON that a server sent: JSON.parse where every integer fits a double, the exact tokenizer where one may not.
import type { Json } from "../../api/json.ts";
import { parseJson } from "../../api/parse-json.ts";

const decoder = new TextDecoder();
/**
 * A run of 16 digits where a number can stand; inside strings it costs time, never correctness. 2^53 - 1, the bound that
 * schemas of integers name, is exact.
 */
const mayOverflow = /[:[,]\s*-?(?!9007199254740991(?!\d))\d{16}/;

/** Parses UTF-8 JSON; integers beyond 2^53 within int64 become bigint. Throws SyntaxError or JsonSyntaxError. */
export function decodeJson(bytes: Uint8Array): Json {
  return parseExact(decoder.decode(bytes));
}

/** As {@link decodeJson}, for text. */
export function parseExact(text: string): Json {
  return mayOverflow.test(text) ? parseJson(text).value : (JSON.parse(text) as Json);
}
