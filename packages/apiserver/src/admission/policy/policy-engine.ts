// What evaluates policies. Loaded with the first bound policy: it brings the engine of expressions.
export { dispatchValidating } from "./dispatch-validating.ts";
export { compileValidatingPolicy } from "./evaluate-validations.ts";
