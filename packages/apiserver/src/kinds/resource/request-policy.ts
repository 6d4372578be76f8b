// How much of a shared device one request may take: from a list of amounts, or from a range in
// steps.
// Upstream: k8s.io/kubernetes/pkg/apis/resource/validation/validation.go (validateRequestPolicy and
// below).
import { isObject, type Json, type JsonObject } from "homeostat/api";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  required,
  tooMany,
} from "../../apimachinery/errors/field-error.ts";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../apimachinery/values/quantity.ts";
import { isSet, optionalTextAt, textsAt, objectAt } from "../../apimachinery/meta/read-fields.ts";

const maxAmounts = 10;
const nano = 1_000_000_000n;

/** `requestPolicy` of a capacity. */
export function validateRequestPolicy(
  capacity: string,
  policy: JsonObject,
  path: string,
): FieldError[] {
  const amounts = textsAt(policy, "validValues");
  const range = policy["validRange"];
  if (amounts.length && isObject(range))
    return [
      forbidden(
        path,
        'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time',
      ),
    ];
  if (!amounts.length && !isObject(range)) return [];
  const usual = optionalTextAt(policy, "default");
  if (usual === undefined)
    return [
      required(
        `${path}.default`,
        `required when ${amounts.length ? "validValues" : "validRange"} is defined`,
      ),
    ];
  return amounts.length
    ? amountErrors(usual, capacity, amounts, `${path}.validValues`)
    : rangeErrors(usual, capacity, objectAt(policy, "validRange"), `${path}.validRange`);
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
  const invalidDefault = invalid(
    path,
    show(usual),
    "default value is not valid according to the requestPolicy",
  );
  const errors = values.flatMap((value, i) =>
    i > 0 && values[i - 1]!.nano > value.nano
      ? [invalid(`${path}[${i}]`, show(amounts[i]!), "values must be sorted in ascending order")]
      : [],
  );
  if (amounts.length > maxAmounts)
    return [...errors, tooMany(path, amounts.length, maxAmounts), invalidDefault];
  return [
    ...errors,
    ...values.flatMap((value, i) =>
      value.nano > most.nano
        ? [
            invalid(
              `${path}[${i}]`,
              show(amounts[i]!),
              `option is larger than capacity value: ${show(capacity)}`,
            ),
          ]
        : [],
    ),
    ...whole.flatMap((value, i) =>
      whole.indexOf(value) < i ? [duplicate(`${path}[${i}]`, String(value))] : [],
    ),
    ...(values.some((value) => value.nano === parseQuantity(usual).nano) ? [] : [invalidDefault]),
  ];
}

function rangeErrors(
  usual: string,
  capacity: string,
  range: JsonObject,
  path: string,
): FieldError[] {
  const min = optionalTextAt(range, "min");
  if (min === undefined) return [required(`${path}.min`, "required when validRange is defined")];
  const above = (a: string, b: string): boolean => parseQuantity(a).nano > parseQuantity(b).nano;
  const fault = (field: string, value: string, what: string, limit: string): FieldError =>
    invalid(`${path}.${field}`, show(value), `${what}: ${show(limit)}`);
  const max = optionalTextAt(range, "max");
  return [
    ...(above(min, capacity)
      ? [fault("min", min, "min is larger than capacity value", capacity)]
      : []),
    ...(above(min, usual) ? [fault("min", usual, "default is less than min", min)] : []),
    ...(max !== undefined && above(min, max)
      ? [fault("max", min, "min is larger than max", max)]
      : []),
    ...(max !== undefined && above(max, capacity)
      ? [fault("max", max, "max is larger than capacity value", capacity)]
      : []),
    ...(max !== undefined && above(usual, max)
      ? [fault("max", usual, "default is more than max", max)]
      : []),
    ...stepErrors(range["step"], { usual, capacity, min, max }, `${path}.step`),
  ];
}

interface Range {
  readonly usual: string;
  readonly capacity: string;
  readonly min: string;
  readonly max: string | undefined;
}

function stepErrors(
  step: Json | undefined,
  { usual, capacity, min, max }: Range,
  path: string,
): FieldError[] {
  if (!isSet(step)) return [];
  const size = String(step);
  const added: Quantity = {
    nano: parseQuantity(min).nano + parseQuantity(size).nano,
    format: parseQuantity(min).format,
  };
  const off = (value: string): FieldError[] => {
    const width = wholeOf(parseQuantity(size));
    const rest =
      width === 0n ? 0n : (wholeOf(parseQuantity(value)) - wholeOf(parseQuantity(min))) % width;
    return rest === 0n
      ? []
      : [
          invalid(
            path,
            show(value),
            `value is not a multiple of a given step (${show(size)}) from (${show(min)})`,
          ),
        ];
  };
  return [
    ...(added.nano > parseQuantity(capacity).nano
      ? [
          invalid(
            path,
            show(size),
            `one step ${formatQuantity(added)} is larger than capacity value: ${show(capacity)}`,
          ),
        ]
      : []),
    ...off(usual),
    ...(max === undefined ? [] : off(max)),
  ];
}

const show = (amount: string): string => formatQuantity(parseQuantity(amount));

/** In whole units, away from zero, as Go's Quantity.Value rounds. */
const wholeOf = ({ nano: amount }: Quantity): bigint =>
  amount >= 0n ? (amount + nano - 1n) / nano : -((-amount + nano - 1n) / nano);
