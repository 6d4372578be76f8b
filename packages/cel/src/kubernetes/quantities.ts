// Quantities: `quantity('1.5Gi')`, comparison and arithmetic.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/quantity.go, pkg/cel/quantity.go;
// k8s.io/apimachinery pkg/api/resource.
import { unitEquality } from "../cost/equality-price.ts";
import { argumentPass } from "../cost/prices.ts";
import {
  type Implementation,
  member,
  overload,
  pricedFunction,
} from "../functions/declarations.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, doubleType, intType, stringType, structType } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { fitsInt, isInt, normalInt } from "../values/int.ts";
import { order } from "../values/numbers.ts";
import { CelObject, type CelValue } from "../values/value.ts";
import { type Amount, addAmounts, compareAmounts, parseAmount } from "./quantity-amount.ts";

const quantityType = structType("kubernetes.Quantity");

class Quantity extends CelObject {
  readonly type = quantityType;
  readonly amount: Amount;
  /**
   * Upstream refuses results of arithmetic on the right of `==`: a bug that users can see.
   */
  readonly origin: "parsed" | "computed";

  constructor(amount: Amount, origin: "parsed" | "computed") {
    super();
    this.amount = amount;
    this.origin = origin;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof Quantity) || other.origin === "computed") throw noSuchOverload();
    return compareAmounts(this.amount, other.amount) === 0;
  }

  toString(): string {
    return `${this.amount.unscaled}e${this.amount.scale}`;
  }
}

const toQuantity: Implementation = (text) => {
  const amount = parseAmount(text as string);
  if ("error" in amount) throw new CelError(amount.error);
  return new Quantity(amount, "parsed");
};

const amountOf = (value: CelValue | undefined): Amount =>
  isInt(value) ? { unscaled: BigInt(value), scale: 0, exact: true } : (value as Quantity).amount;
const compare = (a: CelValue | undefined, b: CelValue | undefined): number =>
  compareAmounts(amountOf(a), amountOf(b));
const add: Implementation = (a, b) =>
  new Quantity(addAmounts(amountOf(a), amountOf(b)), "computed");
const subtract: Implementation = (a, b) => {
  const other = amountOf(b);
  return new Quantity(addAmounts(amountOf(a), { ...other, unscaled: -other.unscaled }), "computed");
};

/** Upstream knows integers only in its exact form, which decimals do not have. */
function wholeOf({ unscaled, scale, exact }: Amount): bigint | undefined {
  if (!exact) return undefined;
  if (unscaled === 0n) return 0n;
  if (scale < 0) return undefined;
  const value = unscaled * 10n ** BigInt(scale);
  return fitsInt(value) ? value : undefined;
}

const asInteger: Implementation = (value) => {
  const whole = wholeOf(amountOf(value));
  if (whole === undefined) throw new CelError("cannot convert value to integer");
  return normalInt(whole);
};

const asFloat: Implementation = (value) => {
  const { unscaled, scale } = amountOf(value);
  return new Double(scale === 0 ? Number(unscaled) : Number(unscaled) * 10 ** scale);
};

const sign: Implementation = (value) => {
  const { unscaled } = amountOf(value);
  return order(unscaled, 0n);
};

const pair = [quantityType, quantityType];

/** Quantities. */
export const quantityLibrary: Library = {
  name: "kubernetes quantities",
  functions: [
    pricedFunction(argumentPass, {
      name: "quantity",
      overloads: [overload("string_to_quantity", [stringType], quantityType, toQuantity)],
    }),
    pricedFunction(argumentPass, {
      name: "isQuantity",
      overloads: [
        overload(
          "is_quantity_string",
          [stringType],
          boolType,
          (text) => !("error" in parseAmount(text as string)),
        ),
      ],
    }),
    { name: "sign", overloads: [overload("quantity_sign", [quantityType], intType, sign)] },
    {
      name: "isGreaterThan",
      overloads: [member("quantity_is_greater_than", pair, boolType, (a, b) => compare(a, b) > 0)],
    },
    {
      name: "isLessThan",
      overloads: [member("quantity_is_less_than", pair, boolType, (a, b) => compare(a, b) < 0)],
    },
    { name: "compareTo", overloads: [member("quantity_compare_to", pair, intType, compare)] },
    {
      name: "asApproximateFloat",
      overloads: [member("quantity_get_float", [quantityType], doubleType, asFloat)],
    },
    {
      name: "asInteger",
      overloads: [member("quantity_get_int", [quantityType], intType, asInteger)],
    },
    {
      name: "isInteger",
      overloads: [
        member(
          "quantity_is_integer",
          [quantityType],
          boolType,
          (value) => wholeOf(amountOf(value)) !== undefined,
        ),
      ],
    },
    {
      name: "add",
      overloads: [
        member("quantity_add", pair, quantityType, add),
        member("quantity_add_int", [quantityType, intType], quantityType, add),
      ],
    },
    {
      name: "sub",
      overloads: [
        member("quantity_sub", pair, quantityType, subtract),
        member("quantity_sub_int", [quantityType, intType], quantityType, subtract),
      ],
    },
  ],
  equality: [unitEquality(quantityType)],
};
