// Prints what a JSONPath found as kubectl does: composites as compact JSON, the rest bare, several
// values joined by a space.
// Upstream: k8s.io/client-go/util/jsonpath/jsonpath.go (PrintResults, evalToText).
import { encodeJson, type Json } from "homeostat/api";
import { formatGoValue } from "../apimachinery/values/go-format.ts";

/** One line of text for the values of one node. */
export function printJsonPathValues(values: readonly Json[]): string {
  return values
    .map((value) =>
      value === null
        ? "<no value>"
        : typeof value === "object"
          ? encodeJson(value)
          : formatGoValue(value),
    )
    .join(" ");
}
