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
import { isParsed, LibraryType } from "../functions/library-type.ts";
import type { Library } from "../environment/environment.ts";
import { boolType, doubleType, intType, stringType, structType } from "../types/type.ts";
import { CelError, noSuchOverload } from "../values/cel-error.ts";
import { Double } from "../values/double.ts";
import { fitsInt, isInt, normalInt } from "../values/int.ts";
import { order } from "../values/numbers.ts";
import type { CelValue } from "../values/value.ts";
import { type Amount, addAmounts, compareAmounts, parseAmount } from "./quantity-amount.ts";

interface Quantity extends Amount {
  /**
   * Upstream refuses results of arithmetic on the right of `==`: a bug that users can see.
   */
  readonly computed?: true;
}

const quantities = new LibraryType<Quantity>({
  type: structType("kubernetes.Quantity"),
  equal(a, b) {
    if (b.computed) throw noSuchOverload();
    return compareAmounts(a, b) === 0;
  },
  print: ({ unscaled, scale }) => `${unscaled}e${scale}`,
});

const amountOf = (value: CelValue | undefined): Amount =>
  isInt(value) ? { unscaled: BigInt(value), scale: 0, exact: true } : quantities.unwrap(value);
const sum = (a: CelValue | undefined, b: Amount): CelValue =>
  quantities.wrap({ ...addAmounts(quantities.unwrap(a), b), computed: true });
const add: Implementation = (a, b) => sum(a, amountOf(b));
const subtract: Implementation = (a, b) => {
  const other = amountOf(b);
  return sum(a, { ...other, unscaled: -other.unscaled });
};

/** Upstream knows integers only in its exact form, which decimals do not have. */
function wholeOf({ unscaled, scale, exact }: Amount): bigint | undefined {
  if (!exact) return undefined;
  if (unscaled === 0n) return 0n;
  if (scale < 0) return undefined;
  const value = unscaled * 10n ** BigInt(scale);
  return fitsInt(value) ? value : undefined;
}

function toInteger(amount: Amount): CelValue {
  const whole = wholeOf(amount);
  if (whole === undefined) throw new CelError("cannot convert value to integer");
  return normalInt(whole);
}

const toFloat = ({ unscaled, scale }: Amount): CelValue =>
  new Double(scale === 0 ? Number(unscaled) : Number(unscaled) * 10 ** scale);

const pair = [quantities.type, quantities.type];
const withInt = [quantities.type, intType];

/** Quantities. */
export const quantityLibrary: Library = {
  name: "kubernetes quantities",
  functions: [
    pricedFunction(argumentPass, {
      name: "quantity",
      overloads: [
        overload("string_to_quantity", [stringType], quantities.type, (text) =>
          quantities.wrapParsed(parseAmount(text as string)),
        ),
      ],
    }),
    pricedFunction(argumentPass, {
      name: "isQuantity",
      overloads: [
        overload("is_quantity_string", [stringType], boolType, (text) =>
          isParsed(parseAmount(text as string)),
        ),
      ],
    }),
    {
      name: "sign",
      overloads: [
        overload("quantity_sign", [quantities.type], intType, (value) =>
          order(quantities.unwrap(value).unscaled, 0n),
        ),
      ],
    },
    ...quantities.ordering("quantity", compareAmounts),
    quantities.reader("asApproximateFloat", "quantity_get_float", doubleType, toFloat),
    quantities.reader("asInteger", "quantity_get_int", intType, toInteger),
    quantities.reader(
      "isInteger",
      "quantity_is_integer",
      boolType,
      (amount) => wholeOf(amount) !== undefined,
    ),
    {
      name: "add",
      overloads: [
        member("quantity_add", pair, quantities.type, add),
        member("quantity_add_int", withInt, quantities.type, add),
      ],
    },
    {
      name: "sub",
      overloads: [
        member("quantity_sub", pair, quantities.type, subtract),
        member("quantity_sub_int", withInt, quantities.type, subtract),
      ],
    },
  ],
  equality: [unitEquality(quantities.type)],
};
