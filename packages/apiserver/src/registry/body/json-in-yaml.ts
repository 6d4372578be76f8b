// YAML bodies that are JSON in all but name, which is what programs send as an apply: read without
// the YAML library, where it is certain that YAML reads them the same. Whatever could differ
// (escapes, folding, merge keys, numbers beyond plain integers, repeated or very long keys) is left
// to YAML.
// Upstream: sigs.k8s.io/yaml/goyaml.v2 (scannerc.go).
import { type Json, JsonSyntaxError, parseJson } from "homeostat/api";

/**
 * Characters that YAML may fold, refuse, or read in its own way, and escapes that the two do not
 * share.
 */
const differs = /[^ -~\u00a1-\u1fff\u2030-\ud7ff]|\\[^"\\nrt]/;
const strings = /"(?:[^"\\]|\\.)*"/g;
/** Outside strings: numbers that are no plain integers, or may not fit 64 bits. */
const oddNumber = /[.eE]\d|\de|-0|\d{19}/;
const mergeKey = '"<<"';
/** YAML looks no further than 1024 characters for the colon behind a key. */
const longKey = /"(?:[^"\\]|\\.){1000,}" *:/;

/**
 * The value of a body that YAML and JSON read alike; undefined where that is not certain. Throws a
 * RangeError for what is nested too deep.
 */
export function readJsonInYaml(text: string): Json | undefined {
  const line = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (line[0] !== "{" || differs.test(line) || line.includes(mergeKey) || longKey.test(line))
    return undefined;
  if (oddNumber.test(line) && oddNumber.test(line.replace(strings, ""))) return undefined;
  try {
    const { value, duplicates } = parseJson(line);
    return duplicates.length ? undefined : value;
  } catch (error) {
    if (error instanceof JsonSyntaxError && error.message.endsWith("exceeded max depth"))
      throw new RangeError(error.message);
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
