// The endpoints below an object, such as `pods/status` or `pods/log`.
// Upstream: k8s.io/apiserver/pkg/registry/rest/rest.go (Updater, Connecter),
// k8s.io/kubernetes/pkg/registry/core/pod/storage/storage.go (StatusREST, BindingREST, …).
import type { GroupVersionKind } from "homeostat/api";
import type { ConnectCheck, ConnectCompletion, ConnectHandler, ProxyHandler } from "./connecter.ts";
import type { ScaleConverter } from "./scale-converter.ts";
import type { Strategy } from "./strategy.ts";
import type { TablePrinter } from "./table-printer.ts";
import type { VersionCodec } from "./version-codec.ts";

/** A subresource, discriminated by `at`: what it works at. */
export type Subresource =
  | StoreSubresource
  | ScaleSubresource
  | ConnectSubresource
  | ProxySubresource;

/** The resource's own store under another strategy: status, finalize, approval, resize. */
export interface StoreSubresource extends SubresourceEndpoint {
  readonly at: "store";
  readonly strategy: Strategy;
  readonly codec?: VersionCodec;
  /** `none`: upstream's storage has no TableConvertor, and Tables are not acceptable. */
  readonly tables?: "none";
}

/** An autoscaling/v1 Scale that stands for the parent's replicas. */
export interface ScaleSubresource extends SubresourceEndpoint {
  readonly at: "scale";
  readonly scale: ScaleConverter;
  /**
   * Whether the scheme of the parent's codec registers Scale. Without it upstream can neither
   * decode a Scale nor convert one that an apply has merged.
   */
  readonly scheme: "registers Scale" | "lacks Scale";
  /** What compares the uid of a Scale with the parent's: the scale endpoint, or the store. */
  readonly uidCheck: "endpoint" | "store";
  readonly table?: TablePrinter;
}

/** A handler with a body and a response of its own: binding, eviction, token, log. */
export interface ConnectSubresource extends SubresourceEndpoint {
  readonly at: "connect";
  readonly handle: ConnectHandler;
  readonly precheck?: ConnectCheck;
  readonly complete?: ConnectCompletion;
  /** Decodes the body; without it the handler gets the body as parsed. */
  readonly codec?: VersionCodec;
}

/** Passes requests of any method on to the parent. */
export interface ProxySubresource extends SubresourceEndpoint {
  readonly at: "proxy";
  readonly handle: ProxyHandler;
}

interface SubresourceEndpoint {
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}
