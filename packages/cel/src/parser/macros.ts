// Macros: calls that the parser rewrites. A table maps name, style and number of arguments to a
// rewriter; the standard macros are here, others come with their library.
// Upstream: github.com/google/cel-go v0.26 parser/macro.go, parser/parser.go (expandMacro).
import { accumulatorName, type Call, type Expr } from "../ast/ast.ts";
import type { Issue } from "../ast/source.ts";
import { foldAll, foldExists, foldExistsOne, foldList, type Loop } from "./fold.ts";

/**
 * Rewrites one call; `at` is the place of the call. Returns an Issue when the arguments are wrong.
 */
export type Macro = (at: number, target: Expr | undefined, args: readonly Expr[]) => Expr | Issue;

/** Macros by key, e.g. `.all/2` for a receiver, `has/1` for a global. */
export type MacroTable = ReadonlyMap<string, Macro>;

/** The rewritten call, an Issue, or undefined where no macro has this shape. */
export function expandMacro(table: MacroTable, call: Call): Expr | Issue | undefined {
  const key = `${call.target ? "." : ""}${call.function}/${call.args.length}`;
  return table.get(key)?.(call.at, call.target, call.args);
}

/** The name of a loop variable, or an Issue with `message`. */
export function loopVariable(expr: Expr, message: string): string | Issue {
  // An empty name stands for one that the parser could not read.
  if (expr.kind !== "ident" || expr.name === "") return { at: expr.at, message };
  return expr.name === accumulatorName || expr.name === "__result__"
    ? { at: expr.at, message: "iteration variable overwrites accumulator variable" }
    : expr.name;
}

const oneVariable =
  (message: string, rewrite: (loop: Loop, args: readonly Expr[]) => Expr): Macro =>
  (at, target, args) => {
    const variable = loopVariable(args[0]!, message);
    return typeof variable === "string"
      ? rewrite({ at, range: target!, variable }, args)
      : variable;
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
  [".all/2", oneVariable(simpleName, (loop, args) => foldAll(loop, args[1]!))],
  [".exists/2", oneVariable(simpleName, (loop, args) => foldExists(loop, args[1]!))],
  [".exists_one/2", oneVariable(simpleName, (loop, args) => foldExistsOne(loop, args[1]!))],
  [".map/2", oneVariable(identifier, (loop, args) => foldList(loop, args[1]!))],
  [".map/3", oneVariable(identifier, (loop, args) => foldList(loop, args[2]!, args[1]!))],
  [".filter/2", oneVariable(identifier, (loop, args) => foldList(loop, args[0]!, args[1]!))],
]);
