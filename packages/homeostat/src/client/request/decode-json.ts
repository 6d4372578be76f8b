// Decodes JSON from a server.
import type { Json } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";

const decoder = new TextDecoder();

/**
 * Parses UTF-8 JSON; integers beyond 2^53 within int64 become bigint. Throws SyntaxError or
 * JsonSyntaxError.
 */
export function decodeJson(bytes: Uint8Array): Json {
  return parseExact(decoder.decode(bytes));
}
