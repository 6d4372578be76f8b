/**
 * Common Expression Language as Kubernetes API servers run it.
 * @module @homeostat/cel
 */
export type { Call, Comprehension, Expr, Ident, Literal, Select } from "./ast.ts";
export { checkExpression } from "./checker.ts";
export {
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
  overload,
} from "./declarations.ts";
export {
  createEnvironment,
  type Environment,
  type Library,
  type StructDeclaration,
  type TreeCheck,
  withVariables,
} from "./environment.ts";
export type { Estimate } from "./estimate.ts";
export type { Variables } from "./frame.ts";
export {
  compatibilityMinor,
  kubernetesEnvironment,
  storedMinor,
} from "./kubernetes-environment.ts";
export {
  type AccessCheck,
  type AccessDecision,
  type AccessQuery,
  authorizerType,
  createAuthorizer,
  createResourceAuthorizer,
  resourceCheckType,
} from "./libraries/authorizer.ts";
export { bindingLibrary } from "./libraries/bindings.ts";
export { jsonPatchLibrary } from "./libraries/json-patch.ts";
export { standardLibrary } from "./libraries/standard.ts";
export { type ParseResult, parseExpression } from "./parser.ts";
export {
  type Compilation,
  compileExpression,
  type Evaluation,
  perCallLimit,
  type Program,
} from "./program.ts";
export { formatIssues, type Issue, type Source } from "./source.ts";
export { estimateCost, type SizeOracle } from "./static-cost.ts";
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
} from "./type.ts";
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
export { type CelInt, CelObject, type CelValue, showValue, typeOfValue } from "./values/value.ts";
