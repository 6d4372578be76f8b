// Loops as macros write them: a fold of a range into an accumulator.
// Upstream: github.com/google/cel-go v0.26 parser/macro.go; ext/bindings.go (cel.bind).
import { accumulatorName, type Comprehension, type Expr } from "../ast/ast.ts";
import { accumulator, callTo, ident, listOf, literal } from "../ast/build-expr.ts";

/** The range of a loop, and its one or two variables. */
export interface Loop {
  /** The place of the macro's call. */
  readonly at: number;
  readonly range: Expr;
  readonly variable: string;
  readonly variable2?: string;
}

/** How a loop computes its result. */
export interface Fold {
  readonly init: Expr;
  /** The loop goes on while this holds. */
  readonly condition: Expr;
  /** The next value of the accumulator. */
  readonly step: Expr;
  /** The accumulator when absent. */
  readonly result?: Expr;
}

/** A loop that folds its range into the accumulator. */
export const fold = (
  { at, range, variable, variable2 }: Loop,
  { init, condition, step, result = accumulator(at) }: Fold,
): Comprehension => ({
  kind: "comprehension",
  at,
  range,
  variable,
  variable2,
  accumulator: accumulatorName,
  init,
  condition,
  step,
  result,
});

/** `range.all(x, predicate)`: stops at the first false; errors count only when nothing is false. */
export function foldAll(loop: Loop, predicate: Expr): Expr {
  const { at } = loop;
  return fold(loop, {
    init: literal(at, true),
    condition: callTo(at, "@not_strictly_false", accumulator(at)),
    step: callTo(at, "_&&_", accumulator(at), predicate),
  });
}

/** `range.exists(x, predicate)`: stops at the first true. */
export function foldExists(loop: Loop, predicate: Expr): Expr {
  const { at } = loop;
  return fold(loop, {
    init: literal(at, false),
    condition: callTo(at, "@not_strictly_false", callTo(at, "!_", accumulator(at))),
    step: callTo(at, "_||_", accumulator(at), predicate),
  });
}

/** `range.exists_one(x, predicate)`: counts; an error anywhere is the result. */
export function foldExistsOne(loop: Loop, predicate: Expr): Expr {
  const { at } = loop;
  const counted = callTo(at, "_+_", accumulator(at), literal(at, 1));
  return fold(loop, {
    init: literal(at, 0),
    condition: literal(at, true),
    step: callTo(at, "_?_:_", predicate, counted, accumulator(at)),
    result: callTo(at, "_==_", accumulator(at), literal(at, 1)),
  });
}

/** Appends `element` for every item, or for those that pass the filter. */
export function foldList(loop: Loop, element: Expr, filter?: Expr): Expr {
  const { at } = loop;
  const appended = callTo(at, "_+_", accumulator(at), listOf(at, element));
  return fold(loop, {
    init: listOf(at),
    condition: literal(at, true),
    step: filter ? callTo(at, "_?_:_", filter, appended, accumulator(at)) : appended,
  });
}

/** Names a value: a loop over an empty list, whose accumulator is the variable. */
export const bindValue = (at: number, variable: string, value: Expr, body: Expr): Expr => ({
  kind: "comprehension",
  at,
  range: listOf(at),
  variable: "#unused",
  variable2: undefined,
  accumulator: variable,
  init: value,
  condition: literal(at, false),
  step: ident(at, variable),
  result: body,
});
