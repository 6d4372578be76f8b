// Parses YAML bodies that are JSON, as most programs send an apply, without the YAML library if
// both parsers certainly agree. Bodies on which they could differ (escapes, folding, merge keys,
// numbers beyond plain integers, duplicate or very long keys) are left to YAML.
// Upstream: sigs.k8s.io/yaml/goyaml.v2 (scannerc.go).
import { type Json, JsonSyntaxError, parseJson } from "homeostat/api";

/**
 * Characters that YAML may fold, refuse or interpret, and escapes that JSON and YAML do not share.
 */
const differs = /[^ -~\u00a1-\u1fff\u2030-\ud7ff]|\\[^"\\nrt]/;
const strings = /"(?:[^"\\]|\\.)*"/g;
/** Outside strings: numbers that are not plain integers or may exceed 64 bits. */
const oddNumber = /[.eE]\d|\de|-0|\d{19}/;
const mergeKey = '"<<"';
/** YAML requires the colon within 1024 characters of a key. */
const longKey = /"(?:[^"\\]|\\.){1000,}" *:/;

/**
 * The value of a body that YAML and JSON parse alike; undefined if that is not certain. Throws a
 * RangeError for a body that is nested too deeply.
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
