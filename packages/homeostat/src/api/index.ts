/**
 * Pure values of the Kubernetes API: JSON, names, Status, transports.
 * @module homeostat/api
 */
export { findStatusCondition, isStatusConditionTrue } from "./conditions.ts";
export type { Decoded } from "./decoded.ts";
export { parseDuration } from "./duration.ts";
export { compareBytewise, encodeJson, encodeJsonBytes } from "./encode-json.ts";
export {
  formatApiVersion,
  formatObjectKey,
  type GroupVersionKind,
  parseApiVersion,
  type ResourceNames,
} from "./gvk.ts";
export { cloneJson, equalJson, isObject, type Json, type JsonObject, setOwn } from "./json.ts";
export type {
  Condition,
  ConditionOf,
  CreateManifestOf,
  GeneratedNaming,
  Kind,
  ManifestOf,
  Metadata,
  Naming,
  ObjectOf,
  OwnerReference,
  StatusOf,
} from "./kind.ts";
export { type FieldsKind, fieldsOf, type FieldsObject } from "./fields-kind.ts";
export { type MetadataKind, metadataOf, type MetadataObject } from "./metadata-kind.ts";
export { keyOf, type KubeObject, type ObjectKey, parseObjectKey } from "./object-meta.ts";
export {
  controllerOf,
  isControlledBy,
  toControllerReference,
  toOwnerReference,
} from "./owner-reference.ts";
export { parseExact } from "./parse-exact.ts";
export {
  formatOverflow,
  JsonSyntaxError,
  parseJson,
  type ParsedJson,
  type ParseJsonOptions,
} from "./parse-json.ts";
export { compareResourceVersions } from "./resource-version.ts";
export {
  exactField,
  type FieldRequirement,
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "./selectors/field-selector.ts";
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  matchesLabels,
  parseLabelSelector,
} from "./selectors/label-selector.ts";
export {
  encodeRevisionData,
  encodeSorted,
  revisionHash,
  revisionName,
  safeEncode,
} from "./revision-hash.ts";
export { SelectorSyntaxError } from "./selectors/selector-syntax-error.ts";
export {
  dns1035LabelFaults,
  dnsLabelFaults,
  dnsSubdomainFaults,
  formatLengthFault,
  formatRegexFault,
  labelKeyFaults,
  labelValueFaults,
  pathSegmentFaults,
  pathSegmentPrefixFaults,
  type SyntaxRule,
} from "./selectors/syntax-rules.ts";
export {
  ApiStatusError,
  isAlreadyExists,
  isApiStatusError,
  isConflict,
  isExpired,
  isForbidden,
  isInvalid,
  isNotFound,
  isTooManyRequests,
  isUnauthorized,
  type Status,
  type StatusCause,
  type StatusDetails,
  type StatusReason,
} from "./status.ts";
export { connectionLost } from "./connection-lost.ts";
export type { Exchange, ObjectChange, Sink, Transport, TransportRequest } from "./transport.ts";
