// Validates request policies: how much of a shared device one request may take, from a list of
// amounts or from a range in steps.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateRequestPolicy and
// below).
import type { Decoded } from "homeostat/api";
import type { CapacityRequestPolicy, CapacityRequestPolicyRange } from "homeostat/k8s/resource/v1";
import * as fieldError from "../../apimachinery/errors/field-error.ts";
import { eachItem, errorIf, type FieldError } from "../../apimachinery/errors/field-error.ts";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../apimachinery/values/quantity.ts";
import { isSet } from "../../apimachinery/meta/read-fields.ts";

const maxAmounts = 10;
const nano = 1_000_000_000n;

/** `requestPolicy` of a capacity. */
export function validateRequestPolicy(
  capacity: string,
  policy: Decoded<CapacityRequestPolicy>,
  path: string,
): FieldError[] {
  const amounts = policy.validValues ?? [];
  const { default: usual, validRange: range } = policy;
  if (amounts.length && range)
    return [
      fieldError.forbidden(
        path,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  if (!amounts.length && !range) return [];
  if (!isSet(usual))
    return [
      fieldError.required(
        `${path}.default`,
        `required when ${amounts.length ? "validValues" : "validRange"} is defined`,
      ),
    ];
  return range
    ? rangeErrors(usual, capacity, range, `${path}.validRange`)
    : amountErrors(usual, capacity, amounts, `${path}.validValues`);
}

function amountErrors(
  usual: string,
  capacity: string,
  amounts: readonly string[],
  path: string,
): FieldError[] {
  const values = amounts.map((amount) => parseQuantity(amount));
  const whole = values.map((value) => wholeOf(value));
  const most = parseQuantity(capacity);
  const invalidDefault = fieldError.invalid(
    path,
    show(usual),
    "default value is not valid according to the requestPolicy",
  );
  const errors = eachItem(values, path, (value, at, i) =>
    errorIf(i > 0 && values[i - 1]!.nano > value.nano, () =>
      fieldError.invalid(at, show(amounts[i]!), "values must be sorted in ascending order"),
    ),
  );
  if (amounts.length > maxAmounts)
    return [...errors, fieldError.tooMany(path, amounts.length, maxAmounts), invalidDefault];
  return [
    ...errors,
    ...eachItem(values, path, (value, at, i) =>
      errorIf(value.nano > most.nano, () =>
        fieldError.invalid(
          at,
          show(amounts[i]!),
          `option is larger than capacity value: ${show(capacity)}`,
        ),
      ),
    ),
    ...eachItem(whole, path, (value, at, i) =>
      errorIf(whole.indexOf(value) < i, () => fieldError.duplicate(at, String(value))),
    ),
    ...(values.some((value) => value.nano === parseQuantity(usual).nano) ? [] : [invalidDefault]),
  ];
}

function rangeErrors(
  usual: string,
  capacity: string,
  range: Decoded<CapacityRequestPolicyRange>,
  path: string,
): FieldError[] {
  const { min, max, step } = range;
  if (!isSet(min))
    return [fieldError.required(`${path}.min`, "required when validRange is defined")];
  const above = (a: string, b: string): boolean => parseQuantity(a).nano > parseQuantity(b).nano;
  const fault = (field: "min" | "max", value: string, what: string, limit: string): FieldError =>
    fieldError.invalid(`${path}.${field}`, show(value), `${what}: ${show(limit)}`);
  return [
    ...(above(min, capacity)
      ? [fault("min", min, "min is larger than capacity value", capacity)]
      : []),
    ...(above(min, usual) ? [fault("min", usual, "default is less than min", min)] : []),
    ...(isSet(max) && above(min, max) ? [fault("max", min, "min is larger than max", max)] : []),
    ...(isSet(max) && above(max, capacity)
      ? [fault("max", max, "max is larger than capacity value", capacity)]
      : []),
    ...(isSet(max) && above(usual, max)
      ? [fault("max", usual, "default is more than max", max)]
      : []),
    ...(isSet(step) ? stepErrors(step, { usual, capacity, min, max }, `${path}.step`) : []),
  ];
}

interface Range {
  readonly usual: string;
  readonly capacity: string;
  readonly min: string;
  readonly max: string | null | undefined;
}

function stepErrors(
  step: string,
  { usual, capacity, min, max }: Range,
  path: string,
): FieldError[] {
  const added: Quantity = {
    nano: parseQuantity(min).nano + parseQuantity(step).nano,
    format: parseQuantity(min).format,
  };
  const off = (value: string): FieldError[] => {
    const width = wholeOf(parseQuantity(step));
    const rest =
      width === 0n ? 0n : (wholeOf(parseQuantity(value)) - wholeOf(parseQuantity(min))) % width;
    return errorIf(rest !== 0n, () =>
      fieldError.invalid(
        path,
        show(value),
        `value is not a multiple of a given step (${show(step)}) from (${show(min)})`,
      ),
    );
  };
  return [
    ...errorIf(added.nano > parseQuantity(capacity).nano, () =>
      fieldError.invalid(
        path,
        show(step),
        `one step ${formatQuantity(added)} is larger than capacity value: ${show(capacity)}`,
      ),
    ),
    ...off(usual),
    ...(isSet(max) ? off(max) : []),
  ];
}

const show = (amount: string): string => formatQuantity(parseQuantity(amount));

/** In whole units, rounded away from zero as Go's Quantity.Value does. */
const wholeOf = ({ nano: amount }: Quantity): bigint =>
  amount >= 0n ? (amount + nano - 1n) / nano : -((-amount + nano - 1n) / nano);
