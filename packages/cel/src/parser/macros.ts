// Macros: calls that are rewritten while they are parsed. A table maps name, style and number of
// arguments to a rewriter; the standard ones are here, others come with their library.
// Upstream: github.com/google/cel-go v0.26 parser/macro.go, parser/parser.go (expandMacro).
import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expr,
  type Ident,
  type Literal,
} from "../ast/ast.ts";
import type { Issue } from "../ast/source.ts";
import type { CelValue } from "../values/value.ts";

/**
 * Rewrites one call; `at` is the place of the call. An Issue says what is wrong with its arguments.
 */
export type Macro = (at: number, target: Expr | undefined, args: readonly Expr[]) => Expr | Issue;

/** Macros by key, e.g. `.all/2` for a receiver, `has/1` for a global. */
export type MacroTable = ReadonlyMap<string, Macro>;

/** The rewritten call, an Issue, or undefined where no macro has this shape. */
export function expandMacro(
  table: MacroTable,
  at: number,
  name: string,
  target: Expr | undefined,
  args: readonly Expr[],
): Expr | Issue | undefined {
  return table.get(`${target ? "." : ""}${name}/${args.length}`)?.(at, target, args);
}

export const literal = (at: number, value: CelValue): Literal => ({ kind: "literal", at, value });
export const ident = (at: number, name: string): Ident => ({ kind: "ident", at, name });
export const accumulator = (at: number): Ident => ident(at, accumulatorName);
export const callTo = (at: number, name: string, ...args: Expr[]): Call => ({
  kind: "call",
  at,
  function: name,
  target: undefined,
  args,
});
export const memberCall = (at: number, name: string, target: Expr, ...args: Expr[]): Call => ({
  kind: "call",
  at,
  function: name,
  target,
  args,
});
export const listOf = (at: number, ...elements: Expr[]): Expr => ({
  kind: "list",
  at,
  elements,
  optional: new Set(),
});

/** One or two variables of a loop. */
export interface LoopVariables {
  readonly variable: string;
  readonly variable2?: string;
}

/** A loop over `range` that folds into the accumulator. */
export function fold(
  at: number,
  range: Expr,
  variables: LoopVariables,
  init: Expr,
  condition: Expr,
  step: Expr,
  result: Expr = accumulator(at),
): Comprehension {
  return {
    kind: "comprehension",
    at,
    range,
    variable: variables.variable,
    variable2: variables.variable2,
    accumulator: accumulatorName,
    init,
    condition,
    step,
    result,
  };
}

/** `range.all(x, predicate)`: stops at the first false; errors count only when nothing is false. */
export function foldAll(at: number, range: Expr, variables: LoopVariables, predicate: Expr): Expr {
  return fold(
    at,
    range,
    variables,
    literal(at, true),
    callTo(at, "@not_strictly_false", accumulator(at)),
    callTo(at, "_&&_", accumulator(at), predicate),
  );
}

export function foldExists(
  at: number,
  range: Expr,
  variables: LoopVariables,
  predicate: Expr,
): Expr {
  const condition = callTo(at, "@not_strictly_false", callTo(at, "!_", accumulator(at)));
  return fold(
    at,
    range,
    variables,
    literal(at, false),
    condition,
    callTo(at, "_||_", accumulator(at), predicate),
  );
}

export function foldExistsOne(
  at: number,
  range: Expr,
  variables: LoopVariables,
  predicate: Expr,
): Expr {
  const counted = callTo(at, "_+_", accumulator(at), literal(at, 1));
  return fold(
    at,
    range,
    variables,
    literal(at, 0),
    literal(at, true),
    callTo(at, "_?_:_", predicate, counted, accumulator(at)),
    callTo(at, "_==_", accumulator(at), literal(at, 1)),
  );
}

/** A loop over nothing whose accumulator is the variable: how a value gets a name. */
export function bindValue(place: number, variable: string, value: Expr, body: Expr): Expr {
  return {
    kind: "comprehension",
    at: place,
    range: listOf(place),
    variable: "#unused",
    variable2: undefined,
    accumulator: variable,
    init: value,
    condition: literal(place, false),
    step: ident(place, variable),
    result: body,
  };
}

/** Appends `element` for every item, or for those that pass the filter. */
export function foldList(
  at: number,
  range: Expr,
  variables: LoopVariables,
  element: Expr,
  filter: Expr | undefined,
): Expr {
  const appended = callTo(at, "_+_", accumulator(at), listOf(at, element));
  const step = filter ? callTo(at, "_?_:_", filter, appended, accumulator(at)) : appended;
  return fold(at, range, variables, listOf(at), literal(at, true), step);
}

/** The name of a loop variable, or an Issue with `message`. */
export function loopVariable(expr: Expr, message: string): string | Issue {
  // A name that could not be read stands as an empty one.
  if (expr.kind !== "ident" || expr.name === "") return { at: expr.at, message };
  return expr.name === accumulatorName || expr.name === "__result__"
    ? { at: expr.at, message: "iteration variable overwrites accumulator variable" }
    : expr.name;
}

const oneVariable =
  (
    message: string,
    rewrite: (at: number, range: Expr, variables: LoopVariables, args: readonly Expr[]) => Expr,
  ): Macro =>
  (at, target, args) => {
    const variable = loopVariable(args[0]!, message);
    return typeof variable === "string" ? rewrite(at, target!, { variable }, args) : variable;
  };

const has: Macro = (at, _target, [arg]) =>
  arg!.kind === "select" && !arg!.testOnly
    ? { kind: "select", at, operand: arg!.operand, field: arg!.field, testOnly: true }
    : { at: arg!.at, message: "invalid argument to has() macro" };

const simpleName = "argument must be a simple name";
const identifier = "argument is not an identifier";

/** The macros that every environment has. */
export const standardMacros: MacroTable = new Map<string, Macro>([
  ["has/1", has],
  [
    ".all/2",
    oneVariable(simpleName, (at, range, variables, args) =>
      foldAll(at, range, variables, args[1]!),
    ),
  ],
  [
    ".exists/2",
    oneVariable(simpleName, (at, range, variables, args) =>
      foldExists(at, range, variables, args[1]!),
    ),
  ],
  [
    ".exists_one/2",
    oneVariable(simpleName, (at, range, variables, args) =>
      foldExistsOne(at, range, variables, args[1]!),
    ),
  ],
  [
    ".map/2",
    oneVariable(identifier, (at, range, variables, args) =>
      foldList(at, range, variables, args[1]!, undefined),
    ),
  ],
  [
    ".map/3",
    oneVariable(identifier, (at, range, variables, args) =>
      foldList(at, range, variables, args[2]!, args[1]!),
    ),
  ],
  [
    ".filter/2",
    oneVariable(identifier, (at, range, variables, args) =>
      foldList(at, range, variables, args[0]!, args[1]!),
    ),
  ],
]);
