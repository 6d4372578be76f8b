/**
 * Homeostat: define resources, write small controllers that work together, run them.
 * @module homeostat
 */
export type {
  Condition,
  ConditionOf,
  Kind,
  ManifestOf,
  Metadata,
  Naming,
  ObjectOf,
  OwnerReference,
  StatusOf,
} from "./api/kind.ts";
export { type FieldsKind, fieldsOf, type FieldsObject } from "./api/fields-kind.ts";
export { type MetadataKind, metadataOf, type MetadataObject } from "./api/metadata-kind.ts";
export {
  type CustomResourceDefinition,
  toCustomResourceDefinition,
} from "./api/resource/custom-resource-definition.ts";
export {
  type Custom,
  defineResource,
  type Manifest,
  type Resource,
  type ResourceDefinition,
  type ResourceOptions,
} from "./api/resource/define-resource.ts";
export type { StructuralSchema, ValidationRule } from "./api/resource/json-schema.ts";
export { k } from "./api/resource/k.ts";
export type { In, Out, Schema, View, Wire } from "./api/resource/schema.ts";
export type { Breach } from "./controller/boundaries/breaches.ts";
export type { Reads } from "./controller/boundaries/reads.ts";
export type {
  ControllerClient,
  ObjectAddress,
  SharedApplyOptions,
} from "./controller/controller-client.ts";
export {
  type Context,
  type ContextOf,
  type Controller,
  type Declared,
  defineController,
  defineScope,
  type Handlers,
  type ObjectRecorder,
  type ReconcileLog,
  type Reports,
  type Scope,
} from "./controller/define-controller.ts";
export type { ExternalSource } from "./controller/external-source.ts";
export type { Permission, Verb } from "./api/permission.ts";
export {
  and,
  annotationsChanged,
  generationChanged,
  labelsChanged,
  not,
  or,
  type Predicate,
} from "./controller/predicates.ts";
export type { CachedObject } from "./cache/informer.ts";
export type { Own, OwnOptions } from "./controller/own/own-function.ts";
export type { Trigger } from "./controller/trigger.ts";
export type { Rate } from "./queue/token-bucket.ts";
export {
  isTerminal,
  type Outcome,
  type Result,
  retry,
  type Retry,
  terminal,
  TerminalError,
  type Wait,
} from "./controller/outcome.ts";
export {
  type Backoff,
  defaultBackoff,
  defaultRetry,
  retryOnConflict,
  type RetryOnConflictOptions,
} from "./controller/retry-on-conflict.ts";
export {
  type Attempt,
  type Decide,
  type Decision,
  finalPhase,
  phase,
  type Phase,
  type PhaseDefinition,
  type PhaseState,
} from "./controller/phase-machine/phase.ts";
export {
  type PhaseContext,
  type PhaseMachine,
  phaseMachine,
  type PhaseMachineOptions,
} from "./controller/phase-machine/phase-machine.ts";
export { phaseStatus } from "./controller/phase-machine/phase-status.ts";
export {
  keepRevisions,
  type KeepRevisionsOptions,
  type Revision,
  type RevisionContext,
  type Revisions,
  type RollBack,
  rollBack,
} from "./controller/revisions/keep-revisions.ts";
export { defineSignal } from "./controller/signals/define-signal.ts";
export type {
  Signal,
  SignalCarrier,
  SignalContext,
  SignalOptions,
} from "./controller/signals/signal.ts";
export type { Mutate } from "./controller/shared/upsert.ts";
export { isReady } from "./controller/own/is-ready.ts";
export { owned, type OwnedOptions } from "./controller/owned.ts";
export {
  type Ref,
  ref,
  type RefOptions,
  refs,
  type Target,
  type Targets,
} from "./controller/ref.ts";
export { all, type From, type Watch, type WatchOptions } from "./controller/watching/all.ts";
export {
  type CachedReads,
  type Index,
  index,
  type Undeclared,
} from "./controller/watching/declared-reads.ts";
export type { Fields, LabelQuery, Labels, Selection } from "./controller/watching/selection.ts";
export type { ObjectState, Progress } from "./controller/object-state.ts";
export { installDefinitions } from "./manager/install-definitions.ts";
export { createLog, createPinoLog, type LogOptions, silentLog } from "./manager/log/create-log.ts";
export type { LogFormat, LogLevel, LogSettings } from "./manager/log/log-settings.ts";
export { managerOptionFaults } from "./manager/check-options.ts";
export type { ElectionOptions } from "./manager/election/election-options.ts";
export type { ShardingOptions } from "./manager/sharding/sharding-options.ts";
export { createManager } from "./manager/manager.ts";
export type { PolicyRule } from "./manager/permissions/policy-rule.ts";
export {
  type DescribedOptions,
  type PermissionOptions,
  type RequiredPermissions,
  requiredPermissions,
} from "./manager/permissions/required-permissions.ts";
export { runMain } from "./manager/run-main.ts";
export type {
  Clusters,
  ClusterSource,
  Manager,
  ManagerOptions,
  MultiClusterOptions,
  RequestKey,
} from "./manager/manager-options.ts";
export type { CauseReport } from "./manager/introspection/report-cause.ts";
export type {
  GraphReport,
  GraphSignal,
  GraphWake,
  GraphWrite,
} from "./manager/introspection/report-graph.ts";
export type { AttemptReport, HistoryReport } from "./manager/introspection/report-history.ts";
export type { OpenPorts } from "./manager/serving/operator-servers.ts";
export type { CertificateFiles } from "./manager/serving/port-certificate.ts";
export type { HealthCheck, HealthChecks } from "./manager/serving/probes.ts";
export type { HealthOptions, MetricsOptions } from "./manager/serving/serving-options.ts";
export type { BlockedReport } from "./manager/introspection/serve-introspection.ts";
export type { WatchdogOptions } from "./manager/watchdog/watchdog-options.ts";
export type { TracingOptions } from "./manager/tracing/tracing-options.ts";
export type { WatchedNamespaces } from "./manager/scope/watched-scope.ts";
export { HomeostatError, isHomeostatError } from "./util/homeostat-error.ts";
