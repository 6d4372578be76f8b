// The resources that are served now.
// Upstream: the API installer of k8s.io/apiserver and the custom resource handler of
// k8s.io/apiextensions-apiserver.
import type { ServedResource } from "./served-resource.ts";

/** All served resources: built-ins for good, custom ones while their definition is established. */
export interface ResourceCatalog {
  find(group: string, version: string, resource: string): ServedResource | undefined;
  /** In discovery order. */
  all(): readonly ServedResource[];
  /** Raised by every change; discovery and OpenAPI documents are cached by it. */
  readonly epoch: number;
}
