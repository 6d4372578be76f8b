// Functions and their overloads. Libraries declare them with `overload` and `member`; the checker
// resolves them, the planner binds them.
// Upstream: github.com/google/cel-go v0.26 common/decls/decls.go.
import type { Price } from "../cost/price.ts";
import { noSuchOverload } from "../values/cel-error.ts";
import { CelList } from "../values/list.ts";
import { type CelValue, typeOfValue } from "../values/value.ts";
import type { Type } from "../types/type.ts";

/** Arguments in order, the receiver first. Throws a CelError. */
export type Implementation = (...args: CelValue[]) => CelValue;

/** One signature of a function. */
export interface Overload {
  readonly id: string;
  readonly style: "global" | "member";
  readonly args: readonly Type[];
  readonly result: Type;
  /** Absent where the planner has its own way (`&&`, `?:`, `[]`, …). */
  readonly implementation?: Implementation;
  /**
   * Prepares an implementation for arguments that are constant; the others are undefined. Throws a
   * CelError for bad constants.
   */
  readonly specialize?: (
    constants: readonly (CelValue | undefined)[],
  ) => Implementation | undefined;
  /** One unit when absent. */
  readonly price?: Price;
}

/** A function of one name. */
export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /**
   * Runs where the overload is known only from the values; overloads are tried by type when absent.
   */
  readonly dynamic?: Implementation;
  /** Constants are converted once, when planned; their failure is a failure of the program. */
  readonly conversion?: true;
  /** Charged where the overload is known only from the values; one unit when absent. */
  readonly price?: Price;
}

/** `size(list)`. */
export function overload(
  id: string,
  args: readonly Type[],
  result: Type,
  implementation?: Implementation,
): Overload {
  return { id, style: "global", args, result, ...(implementation ? { implementation } : {}) };
}

/** `list.size()`; the first argument is the receiver. */
export function member(
  id: string,
  args: readonly Type[],
  result: Type,
  implementation?: Implementation,
): Overload {
  return { id, style: "member", args, result, ...(implementation ? { implementation } : {}) };
}

/** The overload with a price. */
export const priced = (price: Price, base: Overload): Overload => ({ ...base, price });

/** The function with a price, which also applies to overloads without one. */
export const pricedFunction = (
  price: Price,
  declared: FunctionDeclaration,
): FunctionDeclaration => ({
  ...declared,
  price,
  overloads: declared.overloads.map((each) => ({ price, ...each })),
});

/** The overload with a way to prepare for constants. */
export const specialized = (
  base: Overload,
  specialize: NonNullable<Overload["specialize"]>,
): Overload => ({ ...base, specialize });

/**
 * Chooses an overload by the types of the values: runs calls with dynamic arguments.
 */
export function dispatch(name: string, overloads: readonly Overload[]): Implementation {
  return (...args) => {
    const match = overloads.find(
      (candidate) =>
        candidate.args.length === args.length &&
        candidate.args.every((type, i) => accepts(type, args[i]!)),
    );
    if (!match?.implementation)
      throw noSuchOverload(`${name}(${args.map((arg) => typeOfValue(arg).name).join(", ")})`);
    return match.implementation(...args);
  };
}

/** Whether a value has a type; parameters of maps are not checked. */
export function accepts(type: Type, value: CelValue): boolean {
  if (type.kind === "dyn" || type.kind === "param") return true;
  const actual = typeOfValue(value);
  if (actual.kind !== type.kind || actual.name !== type.name) return false;
  // A list stands for its first item's type: sum() of doubles is not sum() of ints.
  return !(value instanceof CelList) || value.size === 0 || accepts(type.params[0]!, value.at(0));
}
