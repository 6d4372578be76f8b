// What all patch types answer when a patch does not apply.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/patch.go, k8s.io/apimachinery/pkg/api/errors
// (NewGenericServerResponse).
import type { ApiStatusError, Json } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";

/** How unknown and duplicate fields of a body are taken. */
export type FieldValidation = "Strict" | "Warn" | "Ignore";

/** 422 that says nothing of its cause. */
export const patchRejectedError = (): ApiStatusError =>
  failure(422, "Invalid", "the server rejected our request due to an error in our request", {});

/** The JSON kind in Go's decoding errors. */
export const jsonKindOf = (value: Json): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : typeof value === "object"
        ? "object"
        : typeof value === "boolean"
          ? "bool"
          : typeof value === "string"
            ? "string"
            : "number";

/** `duplicate field "spec.a"` for each, once, a hundred at most. */
export const duplicateErrors = (paths: readonly string[]): readonly string[] =>
  [...new Set(paths)].slice(0, 100).map((path) => `duplicate field "${path}"`);
