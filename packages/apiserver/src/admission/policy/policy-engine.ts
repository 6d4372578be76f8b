// What evaluates policies. Loaded with the first bound policy: it brings the engine of expressions.
export { dispatchMutating } from "./dispatch-mutating.ts";
export { dispatchValidating } from "./dispatch-validating.ts";
export { compileMutatingPolicy } from "./evaluate-mutations.ts";
export { compileValidatingPolicy } from "./evaluate-validations.ts";
