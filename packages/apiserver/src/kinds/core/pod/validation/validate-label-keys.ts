// Keys of the pod's own labels that a selector is to match or not to match.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidateMatchLabelKeysAndMismatchLabelKeys).
import type { JsonObject } from "homeostat/api";
import {
  type FieldError,
  forbidden,
  invalid,
} from "../../../../apimachinery/errors/field-error.ts";
import { itemsAt, textMapAt, stringAt } from "../../../../apimachinery/meta/read-fields.ts";
import { qualifiedNameErrors } from "../../../validation/field-rules.ts";

/** `path` is that of the term or constraint in which the keys stand. */
export function validateLabelKeys(
  selector: JsonObject | undefined,
  match: readonly string[],
  mismatch: readonly string[],
  path: string,
): FieldError[] {
  return [
    ...keyErrors(selector, match, `${path}.matchLabelKeys`),
    ...keyErrors(selector, mismatch, `${path}.mismatchLabelKeys`),
    ...(selector ? selectedTwice(selector, match, path) : []),
    ...match.flatMap((key, i) =>
      mismatch.includes(key)
        ? [
            invalid(
              `${path}.matchLabelKeys[${i}]`,
              key,
              "exists in both matchLabelKeys and mismatchLabelKeys",
            ),
          ]
        : [],
    ),
  ];
}

function keyErrors(
  selector: JsonObject | undefined,
  keys: readonly string[],
  path: string,
): FieldError[] {
  if (!keys.length) return [];
  if (!selector) return [forbidden(path, "must not be specified when labelSelector is not set")];
  return keys.flatMap((key, i) => qualifiedNameErrors(key, `${path}[${i}]`));
}

/** The server adds one expression for each key; a second one is the user's. */
function selectedTwice(selector: JsonObject, match: readonly string[], path: string): FieldError[] {
  const seen = new Set(Object.keys(textMapAt(selector, "matchLabels")));
  return itemsAt(selector, "matchExpressions").flatMap((expression) => {
    const key = stringAt(expression, "key");
    const twice = match.includes(key) && seen.has(key);
    seen.add(key);
    return twice
      ? [
          invalid(
            `${path}[${match.lastIndexOf(key)}]`,
            key,
            "exists in both matchLabelKeys and labelSelector",
          ),
        ]
      : [];
  });
}
