// How the resources of one server differ in the way they are served. Upstream has two API servers
// in one process: kube-apiserver installs its kinds with go-restful and encodes Go structs; the
// apiextensions server handles custom resources as unstructured maps. Each trait is one decision,
// so that no code asks which of the two a resource belongs to.
// Upstream: k8s.io/apiserver/pkg/endpoints/installer.go,
// k8s.io/apiextensions-apiserver/pkg/apiserver/customresource_handler.go.
import type { JsonObject } from "homeostat/api";

/** The decisions that all resources of one kind of server share. */
export interface ResourceTraits {
  /** The version of the objects that strategies see: the hub between all other versions. */
  readonly hub: "storage version" | "request version";
  /**
   * `installed`: a route for each path and method, which refuses unknown ones before the kind is
   * asked. `delegated`: one handler behind the routes, which dispatches by verb.
   */
  readonly routing: "installed" | "delegated";
  /** `limited`: an object that exceeds etcd's request limit is refused, as JSON is large. */
  readonly storedSize: "limited" | "unlimited";
  readonly managedFields: ManagedFieldsTraits;
  readonly discovery: DiscoveryTraits;
}

/** Upstream: k8s.io/apimachinery/pkg/util/managedfields (NewDefaultFieldManager and …CRD…). */
export interface ManagedFieldsTraits {
  /** What becomes of entries whose version is no longer served. */
  readonly unknownVersions: "drop" | "fail";
  /** How an object is converted to the version of an entry. */
  readonly conversion: "through storage" | "apiVersion only";
  /** The versions whose `resetFields` hold at the main endpoint. */
  readonly resetVersions: "all versions" | "request version";
}

/** Upstream: endpoints/installer.go and customresource_discovery_controller.go. */
export interface DiscoveryTraits {
  /** Groups in the catalog's order stand in front of groups by name. */
  readonly groupOrder: "catalog" | "by name";
  /** Entries of a version by path, or by resource with its subresources behind it. */
  readonly entryOrder: "by path" | "by resource";
  /** Whether a response kind in the resource's own group and version names them. */
  readonly responseKind: "relative" | "absolute";
}

/** What OpenAPI documents are made from: the generated Go types, or a definition's schema. */
export type OpenApiSource =
  | { readonly at: "types" }
  | { readonly at: "schema"; readonly schema: JsonObject | undefined };
