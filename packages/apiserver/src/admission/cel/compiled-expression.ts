// An expression that is ready to be evaluated, or why it is not.
import type { Program } from "@homeostat/cel";

/** A fault counts as a failure of the expression when it is evaluated. */
export type CompiledExpression = { readonly expression: string } & (
  | { readonly program: Program }
  | { readonly fault: string }
);

/** Composited variables by name, in the order of their declaration. */
export type CompositedVariables = ReadonlyMap<string, CompiledExpression>;
