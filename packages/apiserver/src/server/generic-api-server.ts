// The generic API server: one function from a request to a response, made from a store, a clock and
// a catalog of resources.
// Upstream: k8s.io/apiserver/pkg/server/genericapiserver.go.
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
import { createConvertedRevisions } from "../registry/revisions/converted-revisions.ts";
import { createRepresentations } from "../registry/revisions/representations.ts";
import { createFrames } from "../registry/revisions/watch-frames.ts";
import { OpenWatches } from "../registry/scope/open-watches.ts";
import { createFieldManagers } from "../registry/managed-fields/field-managers.ts";
import type { Store } from "../storage/store.ts";
import { createBearerTokens } from "../authentication/bearer-tokens.ts";
import { allowAuthenticated, type Authorizer } from "../authorization/authorizer.ts";
import type { AdmissionPlugin } from "../admission/admission-plugin.ts";
import { createPlugins, type PluginChoice } from "../admission/plugins.ts";
import { createStoredObjects } from "../registry/revisions/stored-objects.ts";
import type { FaultFilter } from "../faults/commit-faults.ts";
import { followFlowSchemas } from "../flowcontrol/follow-flow-schemas.ts";
import { type FilterServices, type PathHandler, runHandlerChain } from "./handler-chain.ts";
import { RequestMetrics } from "./metrics.ts";

export interface GenericApiServerOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly catalog: ResourceCatalog;
  /** Static bearer tokens and their users. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  /**
   * Issues and verifies service account tokens. Default: one with a generated key.
   */
  readonly tokenIssuer?: TokenIssuer;
  /** Default: allows every authenticated request. */
  readonly authorizer?: Authorizer;
  /** Handlers of paths that are no resources, tried in order. */
  readonly paths?: readonly PathHandler[];
  /** The kinds that a body may name. Default: the served ones. */
  readonly kinds?: KindRegistry;
  /** Passes requests on to other API servers. */
  readonly aggregator?: FilterServices["aggregator"];
  /** Reads and writes autoscaling/v1 Scale. */
  readonly scaleCodec?: VersionCodec;
  readonly protobuf?: ProtobufCodec;
  /**
   * The admission plug-ins to enable and disable. Default: upstream's defaults without
   * ServiceAccount.
   */
  readonly plugins?: PluginChoice;
  /** Commits faults. Default: none. */
  readonly faults?: FaultFilter | undefined;
  /** Admission steps after the plug-ins. */
  readonly mutating?: readonly AdmissionStep[];
  readonly validating?: readonly AdmissionStep[];
}

/** An API server without a port. */
export interface GenericApiServer {
  readonly handler: Handler;
  /** What the handlers work with, for extensions in the same process. */
  readonly services: CoreServices;
  /** Closes every watch. */
  close(): Promise<void>;
}

/** Creates the server. The caller closes the store. */
export function createGenericApiServer(options: GenericApiServerOptions): GenericApiServer {
  const plugins = openPlugins(options);
  const core = createServices(options, plugins);
  const flows = followFlowSchemas({
    ...options,
    objects: createStoredObjects(options.store, options.catalog),
  });
  const metrics = new RequestMetrics(core);
  const services: FilterServices = {
    core,
    tokens: (token) => {
      const result = core.reviewToken(token, []);
      return "user" in result ? result.user : undefined;
    },
    authorizer: options.authorizer ?? allowAuthenticated,
    paths: [...(options.paths ?? []), async (request) => metrics.answer(request)],
    flows: flows.match,
    aggregator: options.aggregator,
    faults: options.faults,
  };
  return {
    handler: (request) => serve(request, services, metrics),
    services: core,
    close: async () => {
      flows.stop();
      for (const plugin of plugins) plugin.close?.();
      core.openWatches.endAll();
    },
  };
}

function openPlugins({
  store,
  catalog,
  runtime,
  authorizer,
  plugins,
}: GenericApiServerOptions): readonly AdmissionPlugin[] {
  return createPlugins(plugins ?? { disable: ["ServiceAccount"] }, {
    objects: createStoredObjects(store, catalog),
    catalog,
    authorizer: authorizer ?? allowAuthenticated,
    runtime,
  });
}

function createServices(
  options: GenericApiServerOptions,
  plugins: readonly AdmissionPlugin[],
): CoreServices {
  const { store, runtime, catalog } = options;
  const representations = createRepresentations();
  const issuer = options.tokenIssuer ?? createTokenIssuer();
  return {
    store,
    runtime,
    catalog,
    representations,
    conversions: createConvertedRevisions(),
    frames: createFrames(representations),
    openWatches: new OpenWatches(),
    fieldManagers: createFieldManagers(catalog),
    admission: createAdmission(plugins, options),
    kinds: options.kinds ?? {
      has: (group, version, kind) =>
        catalog
          .all()
          .some((each) => each.group === group && each.version === version && each.kind === kind),
      groupOfRetired: () => undefined,
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

/** Every write passes these before and after the kind's own defaults and validation. */
function createAdmission(
  chosen: readonly AdmissionPlugin[],
  { mutating, validating }: GenericApiServerOptions,
): Admission {
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
  const request = openOrRefuse(api, services);
  if ("status" in request) return request;
  const answer =
    (namesProtobuf(api) && (await refuseUnloadedProtobuf(api, services))) ||
    (await respond(request, services));
  metrics.count(request, answer.status);
  return answer;
}

/** Answers in JSON while the protobuf codec cannot be loaded; undefined once it is. */
async function refuseUnloadedProtobuf(
  api: ApiRequest,
  { core }: FilterServices,
): Promise<ApiResponse | undefined> {
  try {
    await core.protobuf?.load?.();
    return undefined;
  } catch (error) {
    const inJson = { ...api, headers: { ...api.headers, accept: "application/json" } };
    return errorResponse(core, openRequest(inJson, core.runtime.clock.now()), error);
  }
}

function namesProtobuf({ headers }: ApiRequest): boolean {
  return /protobuf/i.test(`${headers["accept"] ?? ""} ${headers["content-type"] ?? ""}`);
}

async function respond(request: ServerRequest, services: FilterServices): Promise<ApiResponse> {
  const answer = await runHandlerChain(request, services).catch((error: unknown) =>
    errorResponse(services.core, request, error),
  );
  return request.flow ? { ...answer, headers: { ...answer.headers, ...request.flow } } : answer;
}

/** Refuses a path that no RequestInfo can be made of. */
function openOrRefuse(api: ApiRequest, { core }: FilterServices): ServerRequest | ApiResponse {
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
