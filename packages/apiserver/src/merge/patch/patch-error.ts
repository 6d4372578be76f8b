// Errors that all patch types share.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, k8s.io/apimachinery/pkg/api/errors
// (NewGenericServerResponse).
import type { ApiStatusError, Json } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";

/** How to treat unknown and duplicate fields of a body. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** 422 without a cause. */
export const patchRejectedError = (): ApiStatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** The JSON kind in Go's decoding errors. */
export function jsonKindOf(value: Json): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  return typeof value === "bigint" ? "number" : typeof value;
}

/** `duplicate field "spec.a"` for each distinct path, at most a hundred. */
export const duplicateErrors = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].slice(0, 100).map((path) => `duplicate field "${path}"`);
