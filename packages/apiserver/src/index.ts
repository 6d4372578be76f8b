/**
 * An embedded Kubernetes API server, for tests and local development.
 * @module @homeostat/apiserver
 */
export type { KeyPair } from "homeostat/certificates";
export { kubernetesVersion } from "./apimachinery/kubernetes-version.ts";
export {
  type ApiRequest,
  type ApiResponse,
  type ByteStream,
  type Handler,
  isStream,
  type OpenStream,
  type StreamSink,
} from "./apimachinery/handler.ts";
export type { UserInfo } from "./apimachinery/user-info.ts";
export type { AuditLevel } from "./apimachinery/audit.ts";
export type {
  AuditedReference,
  AuditedStatus,
  AuditedUser,
  AuditEvent,
  AuditStage,
} from "./audit/audit-event.ts";
export type { AuditedResources, AuditPolicy, AuditPolicyRule } from "./audit/audit-policy.ts";
export type { AuditStream } from "./audit/audit-stream.ts";
export type { AuditOptions } from "./audit/open-audit.ts";
export type {
  ActiveFault,
  ClientCount,
  Fault,
  FaultMatch,
  Faults,
  RequestEffect,
  WatchEffect,
} from "./faults/fault.ts";
export type { FaultsEndpoint } from "./faults/open-faults.ts";
export { createInProcessTransport } from "./http/in-process.ts";
export type {
  PodAction,
  Stage,
  StageDelay,
  StageEffect,
  StagePatch,
  StageRequirement,
  StageSelector,
} from "./fake-nodes/stages/stage.ts";
export { administrator, type ApiServer, type ApiServerOptions } from "./api-server-options.ts";
export { startApiServer } from "./start-api-server.ts";
export { parseStages } from "./parse-stages.ts";
export {
  type OptionFault,
  ServerError,
  type ServerErrorCode,
} from "./apimachinery/errors/server-error.ts";
