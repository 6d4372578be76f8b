// Validation of resource names and quantities, of containers, limit ranges, quotas, volumes and
// nodes.
// Upstream: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateResourceName,
// ValidateResourceQuantityValue), pkg/apis/core/helper/helpers.go.
import { compareBytewise, labelKeyFaults } from "homeostat/api";
import * as fieldError from "../../../apimachinery/errors/field-error.ts";
import { errorIf, type FieldError } from "../../../apimachinery/errors/field-error.ts";
import { parseQuantity } from "../../../apimachinery/values/quantity.ts";
import {
  isExtendedResource,
  isIntegerResource,
  isNativeResource,
  isStandardContainerResource,
  isStandardQuotaResource,
  isStandardResource,
} from "./resource-names.ts";

/** The name of any resource. */
export function resourceNameErrors(name: string, path: string): FieldError[] {
  const errors = labelKeyFaults(name).map((fault) => fieldError.invalid(path, name, fault));
  if (errors.length || name.includes("/") || isStandardResource(name)) return errors;
  return [fieldError.invalid(path, name, "must be a standard resource type or fully qualified")];
}

/** The name of a resource of containers. */
export function containerResourceNameErrors(name: string, path: string): FieldError[] {
  const errors = resourceNameErrors(name, path);
  if (!name.includes("/"))
    return isStandardContainerResource(name)
      ? errors
      : [...errors, fieldError.invalid(path, name, "must be a standard resource for containers")];
  return isNativeResource(name) || isExtendedResource(name)
    ? errors
    : [...errors, fieldError.invalid(path, name, "doesn't follow extended resource name standard")];
}

/** Refuses negative quantities, and fractions of countable resources. */
export function quantityErrors(name: string, amount: string, path: string): FieldError[] {
  const { nano } = parseQuantity(amount);
  return [
    ...errorIf(nano < 0n, () =>
      fieldError.invalid(path, amount, "must be greater than or equal to 0"),
    ),
    ...errorIf(isIntegerResource(name) && roundToMilli(nano) % 1000n !== 0n, () =>
      fieldError.invalid(path, amount, "must be an integer"),
    ),
  ];
}

/** Refuses negative quantities; the message shows them rounded down. */
export function basicQuantityErrors(amount: string, path: string): FieldError[] {
  const { nano } = parseQuantity(amount);
  return errorIf(nano < 0n, () =>
    fieldError.invalid(
      path,
      Number((nano - (billion - 1n)) / billion),
      "must be a valid resource quantity",
    ),
  );
}

const billion = 1_000_000_000n;
const milli = 1_000_000n;
const roundToMilli = (nano: bigint): bigint => (nano + (nano > 0n ? milli - 1n : 0n)) / milli;

/** A list of quota resources; `path` is e.g. `spec.hard`. */
export function quotaListErrors(
  list: Readonly<Record<string, string>>,
  path: string,
): FieldError[] {
  return sortedEntries(list).flatMap(([name, amount]) => {
    const at = `${path}[${name}]`;
    const unknown = !name.includes("/") && !isStandardQuotaResource(name);
    return [
      ...resourceNameErrors(name, at),
      ...errorIf(unknown, () =>
        fieldError.invalid(at, name, "must be a standard resource for quota"),
      ),
      ...quantityErrors(name, amount, at),
    ];
  });
}

/** Sorted by name; upstream's maps have no order. */
export function sortedEntries(
  map: Readonly<Record<string, string>>,
): readonly (readonly [string, string])[] {
  return Object.keys(map)
    .sort(compareBytewise)
    .map((name) => [name, map[name]!]);
}
