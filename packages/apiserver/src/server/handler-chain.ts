// The handler chain: the filters that every request passes, in order, then the handlers. A filter
// that returns a response ends the chain; a filter that refuses throws. Admission runs inside the
// handlers of writes (registry/store).
// Upstream: k8s.io/apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
import type { ApiResponse } from "../apimachinery/handler.ts";
import { dispatch } from "../registry/dispatch.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { unknownPathResponse, pageNotFound, route } from "../registry/route.ts";
import { authenticate, type TokenAuthenticator } from "../filters/authentication.ts";
import type { Authorizer } from "../apimachinery/authorizer.ts";
import { authorize } from "../filters/authorization.ts";
import { enforceRequestDeadline } from "../filters/request-deadline.ts";
import type { FlowMatcher } from "../flowcontrol/match-flow-schema.ts";
import type { Impersonate } from "../filters/impersonation.ts";

/** Serves paths that are no resources (discovery, health, OpenAPI); undefined for other paths. */
export type PathHandler = (request: ServerRequest) => Promise<ApiResponse | undefined>;

/** What the filters work with. */
export interface FilterServices {
  readonly core: CoreServices;
  readonly tokens: TokenAuthenticator;
  /** Whether requests without credentials are anonymous; else they are refused. */
  readonly allowsAnonymous: boolean;
  readonly impersonate: Impersonate;
  readonly authorizer: Authorizer;
  readonly paths: readonly PathHandler[];
  /** Finds the FlowSchema of a request. */
  readonly flows: FlowMatcher;
}

type Filter = (
  request: ServerRequest,
  services: FilterServices,
) => Promise<ApiResponse | undefined>;

/** The filters and handlers, in order. */
export const handlerChain: readonly Filter[] = [
  enforceRequestDeadline,
  async (request, services) => void (await authenticate(request, services)),
  async (request, { impersonate }) => void impersonate(request),
  async (request, { flows }) => void (request.flow = flows(request.user, request.info)),
  async (request, { authorizer }) => void authorize(request, authorizer),
  servePaths,
  serveResource,
];

/** Runs the chain. */
export async function runHandlerChain(
  request: ServerRequest,
  services: FilterServices,
): Promise<ApiResponse> {
  for (const filter of handlerChain) {
    const response = await filter(request, services);
    if (response) return response;
  }
  return pageNotFound();
}

async function servePaths(
  request: ServerRequest,
  { core, paths }: FilterServices,
): Promise<ApiResponse | undefined> {
  if (request.info.isResource) return undefined;
  for (const handle of paths) {
    const response = await handle(request);
    if (response) return response;
  }
  return unknownPathResponse(core, request);
}

async function serveResource(
  request: ServerRequest,
  { core }: FilterServices,
): Promise<ApiResponse | undefined> {
  if (!request.info.isResource) return undefined;
  const scope = route(core, request);
  return scope && (await dispatch(scope));
}
