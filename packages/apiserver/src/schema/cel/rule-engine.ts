// The modules that import CEL; `load-rule-engine.ts` loads them on demand.
export { checkExpressions } from "./check-expressions.ts";
export { createRuleRunner } from "./run-rules.ts";
