// A request that has been routed to a resource; every handler takes one.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (RequestScope).
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { CoreServices } from "./core-services.ts";
import type { Accepted } from "../negotiation/accept.ts";
import type { ServerRequest } from "../request/server-request.ts";

/** The action of a request; each has a handler. */
export type Action =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "connect";

/** A routed request. */
export interface RequestScope {
  readonly core: CoreServices;
  readonly request: ServerRequest;
  readonly resource: ServedResource;
  readonly action: Action;
  readonly namespace: string;
  /** "" for collections. */
  readonly name: string;
  readonly subresource: { readonly name: string; readonly endpoint: Subresource } | undefined;
  readonly accepted: Accepted;
}
