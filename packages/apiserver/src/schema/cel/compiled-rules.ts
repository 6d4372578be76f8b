// The contract between x-kubernetes-validations rules and the rest of the server. `compileRules`
// (compile-rules.ts) implements it; definitions are checked by `checkRuleFields` and
// `checkRuleExpressions`.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
import type { Json } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";

/** The input of one run of all rules. */
export interface RuleInput {
  /** The value of the compiled schema node: pruned, defaulted, coerced. */
  readonly object: Json;
  /**
   * The old value; undefined on create. Rules that use oldSelf run only where it correlates.
   */
  readonly old?: Json | undefined;
  /** Path of the value, e.g. `spec.size`; "" for a whole object. */
  readonly path: string;
  /**
   * With an old value: violations in unchanged parts are warnings, unless the rule uses oldSelf.
   * Absent where upstream does not ratchet (defaults).
   */
  readonly ratchets?: true;
  /** Cost units left for this request. Default: the server's limit. */
  readonly budget?: number;
}

/**
 * Errors and warnings in upstream's order, and the cost units left; negative when the budget is
 * exceeded.
 */
export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  readonly warnings: readonly string[];
  readonly remainingBudget: number;
}

/** All rules of one schema, nested ones included. Expressions compile on first use. */
export interface CompiledRules {
  /**
   * Runs every rule and mutates nothing. Callers skip this when schema errors block rules (see
   * `blockingError`).
   */
  evaluate(input: RuleInput): RuleOutcome;
}
