// Validation of matchLabelKeys and mismatchLabelKeys.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go
// (ValidateMatchLabelKeysAndMismatchLabelKeys).
import type { Decoded } from "homeostat/api";
import type { LabelSelector } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../../../apimachinery/errors/field-error.ts";
import { qualifiedNameErrors } from "../../../validation/field-rules.ts";

/** Validates the keys of the term or constraint at `path`. */
export function validateLabelKeys(
  selector: Decoded<LabelSelector> | null | undefined,
  match: readonly string[],
  mismatch: readonly string[],
  path: string,
): FieldError[] {
  return [
    ...keyErrors(selector, match, `${path}.matchLabelKeys`),
    ...keyErrors(selector, mismatch, `${path}.mismatchLabelKeys`),
    ...(selector ? selectedTwice(selector, match, path) : []),
    ...eachItem(match, `${path}.matchLabelKeys`, (key, at) =>
      errorIf(mismatch.includes(key), () =>
        fieldError.invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys"),
      ),
    ),
  ];
}

function keyErrors(
  selector: Decoded<LabelSelector> | null | undefined,
  keys: readonly string[],
  path: string,
): FieldError[] {
  if (!keys.length) return [];
  if (!selector)
    return [fieldError.forbidden(path, "must not be specified when labelSelector is not set")];
  return eachItem(keys, path, qualifiedNameErrors);
}

/** Preparing the pod adds one expression for each key. A second one is the user's. */
function selectedTwice(
  selector: Decoded<LabelSelector>,
  match: readonly string[],
  path: string,
): FieldError[] {
  const seen = new Set(Object.keys(selector.matchLabels ?? {}));
  return (selector.matchExpressions ?? []).flatMap((expression) => {
    const key = expression.key ?? "";
    const twice = match.includes(key) && seen.has(key);
    seen.add(key);
    return errorIf(twice, () =>
      fieldError.invalid(
        `${path}[${match.lastIndexOf(key)}]`,
        key,
        "exists in both matchLabelKeys and labelSelector",
      ),
    );
  });
}
