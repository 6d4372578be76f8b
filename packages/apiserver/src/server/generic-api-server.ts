// The server core: one function from a request to an answer, made from a store, a clock, and what
// is served.
import type { Runtime } from "homeostat/runtime";
import type { TokenIssuer } from "../apimachinery/rest/token-issuer.ts";
import { createTokenIssuer } from "../certificates/token-issuer.ts";
import type { ApiRequest, ApiResponse, Handler } from "../apimachinery/handler.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { Admission, AdmissionStep } from "../apimachinery/rest/admission.ts";
import { errorResponse } from "../registry/response/error-response.ts";
import type { ProtobufCodec } from "../apimachinery/rest/protobuf-codec.ts";
import type { CoreServices, KindRegistry } from "../registry/scope/core-services.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import { RequestInfoError } from "../registry/request/request-info.ts";
import { openRequest, type ServerRequest } from "../registry/request/server-request.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { VersionCodec } from "../apimachinery/rest/version-codec.ts";
import { createRepresentations } from "../registry/revisions/representations.ts";
import { createFrames } from "../registry/revisions/watch-frames.ts";
import { OpenWatches } from "../registry/scope/open-watches.ts";
import { createFieldManagers } from "../registry/managed-fields/field-managers.ts";
import type { Store } from "../storage/store.ts";
import { createBearerTokens } from "../authentication/bearer-tokens.ts";
import { allowAuthenticated, type Authorizer } from "../authorization/authorizer.ts";
import { createPlugins, type PluginChoice } from "../admission/plugins.ts";
import { createStoredObjects } from "../registry/revisions/stored-objects.ts";
import { followFlowSchemas } from "../flowcontrol/follow-flow-schemas.ts";
import { type FilterServices, type PathHandler, runHandlerChain } from "./handler-chain.ts";
import { RequestMetrics } from "./metrics.ts";

export interface CoreOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly catalog: ResourceCatalog;
  /** Bearer tokens and whom they stand for. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  /**
   * Signs the tokens of service accounts, and believes them. Default: one with a key of its own.
   */
  readonly tokenIssuer?: TokenIssuer;
  /** Default: everybody who has been authenticated may do everything. */
  readonly authorizer?: Authorizer;
  /** Asked in turn for paths that are no resources. */
  readonly paths?: readonly PathHandler[];
  /** Kinds known beyond those served; default those served. */
  readonly kinds?: KindRegistry;
  /** Reads and writes autoscaling/v1 Scale. */
  readonly scaleCodec?: VersionCodec;
  readonly protobuf?: ProtobufCodec;
  /**
   * Which of upstream's admission plug-ins are at work. Default: those that are on by themselves,
   * but for ServiceAccount.
   */
  readonly plugins?: PluginChoice;
  /** Admission steps after the plug-ins. */
  readonly mutating?: readonly AdmissionStep[];
  readonly validating?: readonly AdmissionStep[];
}

/** The API itself, without any door. */
export interface Core {
  readonly handler: Handler;
  /** What the behaviours work with, for those who extend the server in its own process. */
  readonly services: CoreServices;
  /** Ends every watch; nothing is pushed afterwards. */
  close(): Promise<void>;
}

/** Creates a core. The caller closes the store. */
export function createGenericApiServer(options: CoreOptions): Core {
  const core = createServices(options);
  const flows = followFlowSchemas({
    ...options,
    objects: createStoredObjects(options.store, options.catalog),
  });
  const metrics = new RequestMetrics(core);
  const services: FilterServices = {
    core,
    tokens: (token) => {
      const word = core.reviewToken(token, []);
      return "user" in word ? word.user : undefined;
    },
    authorizer: options.authorizer ?? allowAuthenticated,
    paths: [...(options.paths ?? []), async (request) => metrics.answer(request)],
    flows: flows.match,
  };
  return {
    handler: (request) => serve(request, services, metrics),
    services: core,
    close: async () => {
      flows.stop();
      core.openWatches.endAll();
    },
  };
}

function createServices(options: CoreOptions): CoreServices {
  const { store, runtime, catalog } = options;
  const representations = createRepresentations();
  const issuer = options.tokenIssuer ?? createTokenIssuer();
  return {
    store,
    runtime,
    catalog,
    representations,
    frames: createFrames(representations),
    openWatches: new OpenWatches(),
    fieldManagers: createFieldManagers(catalog),
    admission: createAdmission(options),
    kinds: options.kinds ?? {
      has: (group, version, kind) =>
        catalog
          .all()
          .some((each) => each.group === group && each.version === version && each.kind === kind),
    },
    scaleCodec: options.scaleCodec,
    protobuf: options.protobuf,
    tokens: issuer,
    reviewToken: createBearerTokens({
      given: options.tokens,
      issuer,
      store,
      catalog,
      clock: runtime.clock,
    }),
  };
}

/** Every write passes these, around the kind's own defaults and validation. */
function createAdmission({
  store,
  catalog,
  runtime,
  authorizer,
  plugins,
  mutating,
  validating,
}: CoreOptions): Admission {
  const lent = {
    objects: createStoredObjects(store, catalog),
    authorizer: authorizer ?? allowAuthenticated,
    runtime,
  };
  const chosen = createPlugins(plugins ?? { disable: ["ServiceAccount"] }, lent);
  return {
    mutating: [...chosen.flatMap(({ mutate }) => mutate ?? []), ...(mutating ?? [])],
    validating: [...chosen.flatMap(({ validate }) => validate ?? []), ...(validating ?? [])],
  };
}

async function serve(
  api: ApiRequest,
  services: FilterServices,
  metrics: RequestMetrics,
): Promise<ApiResponse> {
  const request = openOrAnswer(api, services);
  if ("status" in request) return request;
  const answer = await runOrFail(request, services);
  metrics.count(request, answer.status);
  return answer;
}

async function runOrFail(request: ServerRequest, services: FilterServices): Promise<ApiResponse> {
  const answer = await runHandlerChain(request, services).catch((error: unknown) =>
    errorResponse(services.core, request, error),
  );
  return request.flow ? { ...answer, headers: { ...answer.headers, ...request.flow } } : answer;
}

/** A path that makes no sense is answered before there is a request to speak of. */
function openOrAnswer(api: ApiRequest, { core }: FilterServices): ServerRequest | ApiResponse {
  try {
    return openRequest(api, core.runtime.clock.now());
  } catch (error) {
    if (!(error instanceof RequestInfoError)) return plainText(400, "400 Bad Request");
    return plainText(
      500,
      `Internal Server Error: ${quoteGo(api.path)}: failed to create RequestInfo: ${error.message}\n`,
    );
  }
}

function plainText(status: number, text: string): ApiResponse {
  return {
    status,
    headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    body: new TextEncoder().encode(text),
  };
}
