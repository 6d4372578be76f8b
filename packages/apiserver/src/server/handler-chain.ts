// The way of every request, as one array to read. A stage that answers ends the way; a stage that
// refuses throws. Inside a write, admission's two lists (mutating, validating) stand around the
// kind's own defaults and schema; see registry/admission.ts and registry/write.
// Upstream: k8s.io/apiserver/pkg/server/config.go (DefaultBuildHandlerChain).
import type { ApiResponse } from "../apimachinery/handler.ts";
import { dispatch } from "../registry/dispatch.ts";
import type { CoreServices } from "../registry/scope/core-services.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import { unknownPathResponse, pageNotFound, route } from "../registry/route.ts";
import { authenticate, type TokenAuthenticator } from "../filters/authentication.ts";
import type { Authorizer } from "../authorization/authorizer.ts";
import { authorize } from "../filters/authorization.ts";
import { enforceRequestDeadline } from "../filters/request-deadline.ts";
import type { FlowMatcher } from "../flowcontrol/match-flow-schema.ts";
import { impersonate } from "../filters/impersonation.ts";

/**
 * Answers paths that are no resources (discovery, health, version, OpenAPI); undefined for those
 * that it does not know.
 */
export type PathHandler = (request: ServerRequest) => Promise<ApiResponse | undefined>;

/** What the stages work with. */
export interface FilterServices {
  readonly core: CoreServices;
  readonly tokens: TokenAuthenticator;
  readonly authorizer: Authorizer;
  readonly paths: readonly PathHandler[];
  /** Which flow a request belongs to. */
  readonly flows: FlowMatcher;
}

type Filter = (
  request: ServerRequest,
  services: FilterServices,
) => Promise<ApiResponse | undefined>;

const none = async (done: Promise<void>): Promise<undefined> => void (await done);

/** The stages, in order. */
export const handlerChain: readonly Filter[] = [
  enforceRequestDeadline,
  (request, { tokens }) => none(authenticate(request, tokens)),
  (request, { authorizer }) => none(impersonate(request, authorizer)),
  async (request, { flows }) => void (request.flow = flows(request.user, request.info)),
  (request, { authorizer }) => none(authorize(request, authorizer)),
  servePaths,
  serveResource,
];

/** Runs the chain. */
export async function runHandlerChain(
  request: ServerRequest,
  services: FilterServices,
): Promise<ApiResponse> {
  for (const stage of handlerChain) {
    const answer = await stage(request, services);
    if (answer) return answer;
  }
  return pageNotFound();
}

async function servePaths(
  request: ServerRequest,
  { core, paths }: FilterServices,
): Promise<ApiResponse | undefined> {
  if (request.info.isResource) return undefined;
  for (const handle of paths) {
    const answer = await handle(request);
    if (answer) return answer;
  }
  return unknownPathResponse(core, request);
}

async function serveResource(
  request: ServerRequest,
  { core }: FilterServices,
): Promise<ApiResponse | undefined> {
  if (!request.info.isResource) return undefined;
  const call = route(core, request);
  return call && (await dispatch(call));
}
