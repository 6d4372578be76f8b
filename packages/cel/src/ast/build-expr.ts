// Builders of nodes, for the parser and its macros.
import {
  accumulatorName,
  type Call,
  type Expr,
  type Ident,
  type ListExpr,
  type Literal,
} from "./ast.ts";
import type { CelValue } from "../values/value.ts";

export const literal = (at: number, value: CelValue): Literal => ({ kind: "literal", at, value });
export const ident = (at: number, name: string): Ident => ({ kind: "ident", at, name });
export const accumulator = (at: number): Ident => ident(at, accumulatorName);

/** `name(args)`, or an operator under its name, e.g. `_&&_`. */
export const callTo = (at: number, name: string, ...args: Expr[]): Call => ({
  kind: "call",
  at,
  function: name,
  target: undefined,
  args,
});

/** `target.name(args)`. */
export const memberCall = (at: number, name: string, target: Expr, ...args: Expr[]): Call => ({
  kind: "call",
  at,
  function: name,
  target,
  args,
});

export const listOf = (at: number, ...elements: Expr[]): ListExpr => ({
  kind: "list",
  at,
  elements,
  optional: new Set(),
});
