// What a schema's x-kubernetes-validations become, and what the rest of the server says to them.
// The functions that make these values: `compileRules` (compile-rules.ts) for objects,
// `checkRuleFields` (check-rule-fields.ts) and `checkRuleExpressions` (check-rule-expressions.ts)
// for definitions.
// Upstream: k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
import type { Json } from "homeostat/api";
import type { FieldError } from "../../apimachinery/errors/field-error.ts";

/** One run of all rules over one value. */
export interface RuleInput {
  /** The value of the schema node that was compiled: pruned, defaulted, coerced. */
  readonly object: Json;
  /**
   * Its earlier value; undefined on create. Rules that read oldSelf run only where this correlates.
   */
  readonly old?: Json | undefined;
  /** Path of the value, e.g. `spec.size`; "" for a whole object. */
  readonly path: string;
  /**
   * On update: breaches in parts that did not change become warnings, unless the rule reads
   * oldSelf. Leave undefined where upstream does not ratchet (create, defaults).
   */
  readonly warn?: ((text: string) => void) | undefined;
  /** Cost units left for this request; the server's limit unless given. */
  readonly budget?: number;
}

/** Breaches in upstream's order, with the cost units left; negative once the budget is used up. */
export interface RuleOutcome {
  readonly errors: readonly FieldError[];
  readonly remainingBudget: number;
}

/** All rules of one schema, nested ones included. Expressions compile on first use and are kept. */
export interface CompiledRules {
  /**
   * Runs every rule. The caller skips this when the schema faults of the object block rules (see
   * `blockingError`). Neither value is mutated.
   */
  evaluate(input: RuleInput): RuleOutcome;
}
