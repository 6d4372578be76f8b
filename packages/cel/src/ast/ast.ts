// The expression tree, as the parser and its macros build it. The checker writes its findings into
// `type` and `call`.
// Upstream: github.com/google/cel-go v0.26 common/ast/expr.go.
import type { Overload } from "../functions/declarations.ts";
import type { Type } from "../types/type.ts";
import type { CelValue } from "../values/value.ts";

interface Node {
  /** Code point offset, for errors. */
  readonly at: number;
  /** Set by the checker. */
  type?: Type;
}

export interface Literal extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}
export interface Ident extends Node {
  readonly kind: "ident";
  name: string;
}
export interface Select extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  /** `has(operand.field)`. */
  readonly testOnly: boolean;
  /** Set by the checker where `a.b` is one qualified name. */
  ident?: string;
}
export interface Call extends Node {
  readonly kind: "call";
  /** Set by the checker where target and name together are one namespaced function. */
  function: string;
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** The overloads that match; one unless arguments are dynamic. Set by the checker. */
  overloads?: readonly Overload[];
}
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly elements: readonly Expr[];
  /** Positions written `?x`. */
  readonly optional: ReadonlySet<number>;
}
export interface MapEntry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}
export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}
export interface StructExpr extends Node {
  readonly kind: "struct";
  name: string;
  readonly fields: readonly StructField[];
}
export interface Comprehension extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

export type Expr =
  | Literal
  | Ident
  | Select
  | Call
  | ListExpr
  | MapExpr
  | StructExpr
  | Comprehension;

/** What to do with each kind of node. */
export type ByKind<Rest extends readonly unknown[], Result> = {
  readonly [Kind in Expr["kind"]]: (
    node: Extract<Expr, { readonly kind: Kind }>,
    ...rest: Rest
  ) => Result;
};

/** Names that macros give their accumulator; neither can be written in an expression. */
export const accumulatorName = "@result";
