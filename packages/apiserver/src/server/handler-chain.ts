// The handler chain: the filters that every request passes, in order, then the handlers. A filter
// that returns a response ends the chain; a filter that refuses throws. Admission runs inside the
// handlers of writes (registry/store).
// Upstream: k8s.io/apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
import type { ApiResponse } from "../apimachinery/handler.ts";
import { dispatch } from "../registry/dispatch.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { pageNotFound } from "../apimachinery/text-response.ts";
import { unknownPathResponse, route } from "../registry/route.ts";
import { authenticate, type TokenAuthenticator } from "../filters/authentication.ts";
import type { Authorizer } from "../apimachinery/authorizer.ts";
import { authorize } from "../filters/authorization.ts";
import { assertTimeout } from "../filters/request-deadline.ts";
import type { Auditor } from "../audit/open-audit.ts";
import type { FaultFilter } from "../faults/commit-faults.ts";
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
  /** Passes requests on to other API servers. */
  readonly aggregator?:
    | {
        readonly isActive: boolean;
        readonly handle: PathHandler;
        serves(path: string): boolean;
      }
    | undefined;
  /** Commits faults; undefined unless they were asked for. */
  readonly faults?: FaultFilter | undefined;
  /** Begins to record a request; undefined unless that was asked for. */
  readonly audit?: Auditor | undefined;
}

type Filter = (
  request: ServerRequest,
  services: FilterServices,
) => Promise<ApiResponse | undefined>;

/** The filters before anything is known of the user but the credentials. */
const authentication: readonly Filter[] = [
  assertTimeout,
  async (request, services) => {
    await authenticate(request, services);
    request.audit?.receive(request.user);
    return undefined;
  },
];

/** The other filters and the handlers, in order. */
const authenticated: readonly Filter[] = [
  async (request, { impersonate }) => void impersonate(request),
  async (request, { flows }) => void (request.flow = flows(request.user, request.info)),
  async (request, { authorizer }) => void authorize(request, authorizer),
  async (request, { aggregator }) =>
    aggregator?.isActive ? await aggregator.handle(request) : undefined,
  servePaths,
  serveResource,
];

/** The filters and handlers, in order. */
export const handlerChain: readonly Filter[] = [...authentication, ...authenticated];

/** Runs the chain. */
export async function runHandlerChain(
  request: ServerRequest,
  services: FilterServices,
): Promise<ApiResponse> {
  const { faults } = services;
  if (!faults) return (await runFilters(handlerChain, request, services)) ?? pageNotFound();
  return (
    (await runFilters(authentication, request, services)) ??
    (await faults(
      request,
      async (served) => (await runFilters(authenticated, served, services)) ?? pageNotFound(),
    ))
  );
}

async function runFilters(
  filters: readonly Filter[],
  request: ServerRequest,
  services: FilterServices,
): Promise<ApiResponse | undefined> {
  for (const filter of filters) {
    const response = await filter(request, services);
    if (response) return response;
  }
  return undefined;
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
