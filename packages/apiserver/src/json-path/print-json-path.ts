// Prints the results of a JSONPath as kubectl does: objects and lists as compact JSON, other values
// bare, joined by spaces.
// Upstream: k8s.io/client-go/util/jsonpath/jsonpath.go (PrintResults, evalToText).
import { encodeJson, type Json } from "homeostat/api";
import { formatGoValue } from "../apimachinery/values/go-format.ts";

/** One line of text for the values of one node. */
export function printJsonPathValues(values: readonly Json[]): string {
  return values.map(formatValue).join(" ");
}

function formatValue(value: Json): string {
  if (value === null) return "<no value>";
  return typeof value === "object" ? encodeJson(value) : formatGoValue(value);
}
