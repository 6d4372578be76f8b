// Everything that needs CEL, behind one door: `load-rule-engine.ts` opens it.
export { checkExpressions } from "./check-expressions.ts";
export { createRuleRunner } from "./run-rules.ts";
