// How deep an expression is nested as it was written, macros unexpanded: upstream visits its parse
// tree recursively and gives up beyond a limit. Chains count (`a == b == c` is two deep), `&&` and
// `||`, signs, lists and the arguments of global functions do not count by themselves.
// Upstream: github.com/google/cel-go v0.26 parser/parser.go (Visit,
// checkAndIncrementRecursionDepth).
import type { Expr } from "../ast/ast.ts";
import { childrenOf } from "../ast/tree-walk.ts";

const uncounted: ReadonlySet<string> = new Set(["_&&_", "_||_", "!_", "-_"]);

/**
 * Depths of the expressions of one parse. Asked of every link of a chain as it grows, it never goes
 * deep itself.
 */
export class Nesting {
  readonly #known = new WeakMap<Expr, number>();

  of(expr: Expr): number {
    const known = this.#known.get(expr);
    if (known !== undefined) return known;
    const below = childrenOf(expr).reduce((deepest, child) => Math.max(deepest, this.of(child)), 0);
    const depth = counts(expr) ? below + 1 : below;
    this.#known.set(expr, depth);
    return depth;
  }

  /** An expansion is as deep as the call that was written. */
  expanded(written: Expr, expansion: Expr): Expr {
    this.#known.set(expansion, this.of(written));
    return expansion;
  }
}

function counts(expr: Expr): boolean {
  if (expr.kind === "select") return true;
  if (expr.kind !== "call") return false;
  return expr.target !== undefined || (isOperator(expr.function) && !uncounted.has(expr.function));
}

/** Names of operators hold a character that no function's name has: `_==_`, `_[_]`, `@in`. */
const isOperator = (name: string): boolean => /[^\w.]/.test(name);
