/**
 * Common Expression Language as Kubernetes API servers run it.
 * @module @homeostat/cel
 */
export {
  anyType,
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  formatType,
  intType,
  listType,
  mapType,
  nullType,
  opaqueType,
  optionalType,
  runtimeName,
  sameType,
  stringType,
  structType,
  timestampType,
  type Type,
  type TypeKind,
  uintType,
} from "./types/type.ts";
export { CelError, CostLimitError, noSuchOverload } from "./values/cel-error.ts";
export { Double } from "./values/double.ts";
export { Duration, parseFormatDuration } from "./values/duration.ts";
export { equalValues } from "./values/equality.ts";
export { adaptJson, type Json, JsonList, JsonMap, type JsonObject } from "./values/json-values.ts";
export { CelList, ValueList } from "./values/list.ts";
export { CelMap, ValueMap } from "./values/map.ts";
export { none, Optional } from "./values/optional.ts";
export { parseFormatDate, parseFormatDateTime, Timestamp } from "./values/timestamp.ts";
export { toJson } from "./values/to-json.ts";
export { TypeValue } from "./values/type-value.ts";
export { Uint } from "./values/uint.ts";
export {
  type CelInt,
  CelObject,
  type CelValue,
  showValue,
  typeOfValue,
  Wrapper,
} from "./values/value.ts";
export type { Estimate } from "./cost/estimate.ts";
export {
  type CallCost,
  type CallEstimate,
  type CallSite,
  type CostNode,
  type Estimator,
  fixedPrice,
  type Price,
  type SizeOracle,
  sizeOf,
} from "./cost/price.ts";
export {
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
  overload,
  priced,
  pricedFunction,
} from "./functions/declarations.ts";
export type { Call, Comprehension, Expr, Ident, Literal, Select } from "./ast/ast.ts";
export { formatIssues, type Issue, type Source } from "./ast/source.ts";
export { reservedNames } from "./parser/grammar.ts";
export { type ParseResult, parseExpression } from "./parser/parser.ts";
export {
  createEnvironment,
  type Environment,
  type Library,
  type StructDeclaration,
  type TreeCheck,
  withVariables,
} from "./environment/environment.ts";
export { checkExpression } from "./checker/checker.ts";
export { estimateCost } from "./checker/estimate-cost.ts";
export type { Variables } from "./interpreter/frame.ts";
export { bindingLibrary } from "./ext/bindings.ts";
export { standardLibrary } from "./stdlib/standard.ts";
export {
  type AccessCheck,
  type AccessDecision,
  type AccessQuery,
  authorizerType,
  createAuthorizer,
  createResourceAuthorizer,
  resourceCheckType,
} from "./kubernetes/authorizer.ts";
export { jsonPatchLibrary } from "./kubernetes/json-patch.ts";
export {
  compatibilityMinor,
  kubernetesEnvironment,
  storedMinor,
} from "./kubernetes/kubernetes-environment.ts";
export {
  type Compilation,
  compileExpression,
  type Evaluation,
  perCallLimit,
  type Program,
} from "./program.ts";
