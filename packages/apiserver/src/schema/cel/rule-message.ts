// The message of a violated rule: its messageExpression, its message, or the rule itself.
// Upstream: k8s.io/apiextensions-apiserver v0.36 pkg/apiserver/schema/cel/validation.go
// (evalMessageExpression, ruleMessageOrDefault).
import { CostLimitError, perCallLimit, type Variables } from "@homeostat/cel";
import type { ValidationRule } from "../json-schema-props.ts";
import type { CompiledRule } from "./compile-rule.ts";

/** Longest result of a messageExpression, in bytes. */
const maxMessageBytes = 5 * 1024;

/** The outcome of a messageExpression. */
export interface MessageOutcome {
  readonly cost: number;
  /** Undefined when the expression fails or its result is unusable. */
  readonly text?: string;
  /** Why evaluation of all rules must stop. */
  readonly stop?: string;
}

/** How errors refer to a rule: by its message if it has one, else by its expression. */
export const ruleText = (rule: ValidationRule): string =>
  (rule.message ? rule.message : rule.rule).trim();

/** The message of a rule without a usable messageExpression. */
export const defaultMessage = (rule: ValidationRule): string =>
  rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`;

/** Evaluates the messageExpression, if the rule has one. */
export function evaluateMessage(
  { rule, message }: CompiledRule,
  variables: Variables,
  budget: number,
): MessageOutcome {
  if (!message) return { cost: 0 };
  const result = message.evaluate(variables, perCallLimit);
  const { cost } = result;
  if (cost > budget)
    return {
      cost,
      stop: "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run",
    };
  if ("error" in result) {
    if (!(result.error instanceof CostLimitError)) return { cost };
    return {
      cost,
      stop: `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${JSON.stringify(rule.messageExpression ?? "")}`,
    };
  }
  const text = typeof result.value === "string" ? result.value.trim() : "";
  const usable = text !== "" && Buffer.byteLength(text) <= maxMessageBytes && !text.includes("\n");
  return usable ? { cost, text } : { cost };
}
