// YAML bodies that are JSON in all but name, which is what programs send as an apply: read without the YAML library, where it
// is certain that YAML reads them the same. Whatever could differ (escapes, folding, merge keys, numbers beyond plain
// integers, repeated or very long keys) is left to YAML.
// Upstream: sigs.k8s.io/yaml/goyaml.v2 (scannerc.go).
import { type Json, JsonSyntaxError, parseJson } from "homeostat/api";

/** Printable in one line, no escapes but those that YAML and JSON share. */
const oneLine = /^\{(?:[ !#-[\]-~\u00a1-\u1fff\u2030-\ud7ff]|"(?:[ !#-[\]-~\u00a1-\u1fff\u2030-\ud7ff]|\\["\\nrt])*")*\}\n?$/;
const strings = /"(?:[^"\\]|\\.)*"/g;
/** Outside strings: numbers that are no plain integers. */
const oddNumber = /[.eE]\d|\de|-0|\d{16}/;
const mergeKey = '"<<"';
/** YAML looks no further than 1024 characters for the colon behind a key. */
const longKey = /"(?:[^"\\]|\\.){1000,}" *:/;

/** The value of a body that YAML and JSON read alike; undefined where that is not certain. */
export function readJsonInYaml(text: string): Json | undefined {
  if (text[0] !== "{" || !oneLine.test(text) || text.includes(mergeKey) || oddNumber.test(text.replace(strings, "")) || longKey.test(text)) return undefined;
  try {
    const { value, duplicates } = parseJson(text);
    return duplicates.length ? undefined : value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
