/**
 * An embedded Kubernetes API server, for tests and local development.
 * @module @homeostat/apiserver
 */
export type { KeyPair } from "./certificates/authority.ts";
export { kubernetesVersion } from "./kubernetes-version.ts";
export {
  type ApiRequest,
  type ApiResponse,
  type ByteStream,
  type Handler,
  isStream,
  type OpenStream,
  type StreamSink,
  type UserInfo,
} from "./http/handler.ts";
export { createInProcessTransport } from "./in-process.ts";
export type {
  PodAction,
  Stage,
  StageDelay,
  StageEffect,
  StagePatch,
  StageRequirement,
  StageSelector,
} from "./simulators/stages/stage.ts";
export { administrator, type ApiServer, type ApiServerOptions, startApiServer } from "./server.ts";
export { parseStages } from "./parse-stages.ts";
export { ServerError, type ServerErrorCode } from "./server-error.ts";
