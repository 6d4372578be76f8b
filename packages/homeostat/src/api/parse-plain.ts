// JSON.parse, where what it reads is certain to be what the text says.
import type { Json } from "./json.ts";

/**
 * Where JSON.parse and an exact parser may differ although the value is written alike: integers
 * beyond 2^53, exponents, escaped surrogates.
 */
const inexact = /(?:^|[:[,])-?(?:\d{16}|[\d.]+[eE])|\\u[dD]/;

/**
 * The value of a text that JSON.stringify writes in the same way, as most clients do: it has no
 * duplicate keys, and each number is what it says. Undefined for any other text.
 */
export function parsePlain(text: string): Json | undefined {
  const document = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (inexact.test(document)) return undefined;
  try {
    const value = JSON.parse(document) as Json;
    return JSON.stringify(value) === document ? value : undefined;
  } catch {
    return undefined;
  }
}
