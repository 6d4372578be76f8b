// Label selectors inside objects: validation, and the text that tables show.
// Upstream: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go (ValidateLabelSelector),
// pkg/apis/meta/v1/helpers.go (LabelSelectorAsSelector, FormatLabelSelector),
// pkg/labels/selector.go (String).
import {
  compareBytewise,
  type Decoded,
  equalJson,
  labelKeyFaults,
  labelValueFaults,
} from "homeostat/api";
import type { LabelSelector, LabelSelectorRequirement } from "homeostat/k8s/meta/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import { validateLabels } from "../../apimachinery/meta/validate-object-meta.ts";

export interface LabelSelectorRules {
  /** Values that are no label values stay allowed where the old object had them. */
  readonly invalidValues: "refused" | "allowed";
}

/** Every violation in a LabelSelector. */
export function validateLabelSelector(
  selector: Decoded<LabelSelector>,
  path: string,
  rules: LabelSelectorRules = { invalidValues: "refused" },
): FieldError[] {
  return [
    ...validateLabels(selector.matchLabels ?? {}, `${path}.matchLabels`),
    ...eachItem(selector.matchExpressions, `${path}.matchExpressions`, (expression, at) =>
      validateRequirement(expression, at, rules),
    ),
  ];
}

function validateRequirement(
  requirement: Decoded<LabelSelectorRequirement>,
  path: string,
  { invalidValues }: LabelSelectorRules,
): FieldError[] {
  const key = requirement.key ?? "";
  const values = requirement.values ?? [];
  return [
    ...selectorOperatorErrors(requirement.operator ?? "", values.length, path),
    ...labelKeyFaults(key).map((fault) => fieldError.invalid(`${path}.key`, key, fault)),
    ...(invalidValues === "allowed"
      ? []
      : eachItem(values, `${path}.values`, (value, at) =>
          labelValueFaults(value).map((fault) => fieldError.invalid(at, value, fault)),
        )),
  ];
}

/** Validates the operators that label selectors and node selectors share, with their values. */
export function selectorOperatorErrors(
  operator: string,
  values: number,
  path: string,
): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return errorIf(!values, () =>
        fieldError.required(
          `${path}.values`,
          "must be specified when `operator` is 'In' or 'NotIn'",
        ),
      );
    case "Exists":
    case "DoesNotExist":
      return errorIf(values, () =>
        fieldError.forbidden(
          `${path}.values`,
          "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
        ),
      );
    default:
      return [fieldError.invalid(`${path}.operator`, operator, "not a valid selector operator")];
  }
}

/** Whether the selector has neither labels nor expressions. */
export function isEmptySelector(selector: Decoded<LabelSelector>): boolean {
  return (
    Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0
  );
}

/** Upstream's type of a selector, for errors that show one. */
export const selectorType = "*v1.LabelSelector";

/** A selector that may not change, at its path. */
export function immutableSelector(
  path: string,
  selector: Decoded<LabelSelector> | null | undefined,
  old: Decoded<LabelSelector> | null | undefined,
): FieldError[] {
  return errorIf(!equalJson(selector ?? null, old ?? null), () =>
    fieldError.invalidInternal(path, [selectorType, selector], "field is immutable"),
  );
}

/** The selector as tables show it, e.g. `app=web,tier in (a,b)`; `<none>` when it is empty. */
export function formatSelector(selector: Decoded<LabelSelector>): string {
  const labels = selector.matchLabels ?? {};
  const parts = [
    ...Object.keys(labels).map((key) => ({ key, text: `${key}=${labels[key]}` })),
    ...(selector.matchExpressions ?? []).map((expression) => ({
      key: expression.key ?? "",
      text: formatRequirement(expression),
    })),
  ];
  return (
    parts
      .toSorted((a, b) => compareBytewise(a.key, b.key))
      .map(({ text }) => text)
      .join(",") || "<none>"
  );
}

function formatRequirement(requirement: Decoded<LabelSelectorRequirement>): string {
  const key = requirement.key ?? "";
  const values = `(${[...(requirement.values ?? [])].sort(compareBytewise).join(",")})`;
  switch (requirement.operator ?? "") {
    case "In":
      return `${key} in ${values}`;
    case "NotIn":
      return `${key} notin ${values}`;
    case "Exists":
      return key;
    default:
      return `!${key}`;
  }
}

/** Labels as tables show them, e.g. `a=1,b=2`; `<none>` without any. */
export function formatLabels(labels: Readonly<Record<string, string>>): string {
  return (
    Object.keys(labels)
      .sort(compareBytewise)
      .map((key) => `${key}=${labels[key]}`)
      .join(",") || "<none>"
  );
}
