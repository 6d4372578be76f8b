/**
 * The Kubernetes client: typed by Kind, dynamic by discovery.
 * @module homeostat/client
 */
export {
  type ApiRequest,
  type ApiResponse,
  type ApplyOptions,
  type ByteStreamHandlers,
  type Client,
  type ClientScope,
  type CompletedWrite,
  type DeleteOptions,
  type GetOptions,
  isStatus,
  type JsonPatchOperation,
  type Key,
  type ListOptions,
  type ListPageOptions,
  type NamedObject,
  type ObjectList,
  type Patch,
  type RequestOptions,
  type Selection,
  type WatchEvent,
  type WatchOptions,
  type WriteOptions,
} from "./client.ts";
export type { CertificateSource } from "./connection/changing-pools.ts";
export { type ClientOptions, createClient } from "./create-client.ts";
export {
  type DiscoveredKind,
  type DynamicKind,
  dynamicKind,
  type KindResolver,
} from "./discovery/kind-resolver.ts";
export type {
  AuthMethod,
  ClusterAccess,
  ExecPlugin,
  Impersonation,
  OidcProvider,
  TlsAccess,
} from "./kubeconfig/cluster-access.ts";
export type { KubeconfigErrorCode } from "./kubeconfig/kubeconfig-error.ts";
export {
  loadClusterAccess,
  loadInClusterConfig,
  loadKubeconfig,
  type LoadKubeconfigOptions,
} from "./kubeconfig/load-kubeconfig.ts";
export { applyConfiguration } from "./patch/apply-configuration.ts";
export { type JsonPatch, jsonPatch, type PlaceIn } from "./patch/json-patch.ts";
export { mergePatch, strategicPatch } from "./patch/merge-patch.ts";
export type {
  ApplyFields,
  MergeFields,
  PatchPreconditions,
  Place,
  StrategicFields,
} from "./patch/patch-fields.ts";
export type { ServerPace } from "./server-pace.ts";
export type { ClientObserver } from "./session-options.ts";
export { evict, type EvictOptions } from "./subresources/evict.ts";
export {
  podLog,
  podLogLines,
  type PodLogLinesOptions,
  type PodLogOptions,
} from "./subresources/pod-log.ts";
export type { AnswerOf, BodyOf, SubresourceNaming } from "./subresources/subresource-bodies.ts";
export { createWarningWriter, type WarningWriterOptions } from "./warning-writer.ts";
export { createUndiciTransport, type UndiciTransportOptions } from "./undici-transport.ts";
