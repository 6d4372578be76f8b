// The generic API server: one function from a request to a response, made from a store, a clock and
// a catalog of resources.
// Upstream: k8s.io/apiserver/pkg/server/genericapiserver.go.
import type { Runtime } from "homeostat/runtime";
import type { TokenIssuer } from "../apimachinery/rest/token-issuer.ts";
import { createTokenIssuer } from "../certificates/token-issuer.ts";
import type { ApiRequest, ApiResponse, Handler } from "../apimachinery/handler.ts";
import { textResponse } from "../apimachinery/text-response.ts";
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
import { TableRows } from "../registry/revisions/table-rows.ts";
import { createConvertedRevisions } from "../registry/revisions/converted-revisions.ts";
import { createRepresentations } from "../registry/revisions/representations.ts";
import { createFrames } from "../registry/revisions/watch-frames.ts";
import { OpenWatches } from "../registry/scope/open-watches.ts";
import { createFieldManagers } from "../registry/managed-fields/field-managers.ts";
import type { Store } from "../storage/store.ts";
import { createBearerTokens } from "../authentication/bearer-tokens.ts";
import type { Authorization, Authorizer } from "../apimachinery/authorizer.ts";
import { createAuthorization } from "../authorization/create-authorization.ts";
import { type AuthorizationMode, defaultModes } from "../authorization/modes.ts";
import { createEscalationCheck } from "../authorization/rbac/escalation-check.ts";
import { createStoredPolicy, type StoredPolicy } from "../authorization/rbac/stored-policy.ts";
import { createImpersonation } from "../filters/impersonation.ts";
import type { AdmissionPlugin } from "../admission/admission-plugin.ts";
import { createPlugins, type PluginChoice } from "../admission/plugins.ts";
import { createStoredObjects } from "../registry/revisions/stored-objects.ts";
import type { Auditor } from "../audit/open-audit.ts";
import type { FaultFilter } from "../faults/commit-faults.ts";
import { followFlowSchemas } from "../flowcontrol/follow-flow-schemas.ts";
import { createLoopbackClient, type LoopbackClient } from "../post-start-hooks/loopback-client.ts";
import { createWebhookClient, type WebhookClient } from "../webhook-client/webhook-client.ts";
import { beforeDeadline } from "../filters/request-deadline.ts";
import { type FilterServices, type PathHandler, runHandlerChain } from "./handler-chain.ts";
import { HealthMetrics } from "./health-metrics.ts";
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
  /** Default: RBAC. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** Decides in the place of the authorization modes. */
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
  /** Records requests. Default: none. */
  readonly audit?: Auditor | undefined;
  /** Calls admission webhooks; the caller closes it. Default: one that knows no Services. */
  readonly webhookClient?: WebhookClient;
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
  const { store, catalog, authorizationModes: modes = defaultModes } = options;
  const policy = createStoredPolicy({ store, catalog });
  const authorization = {
    ...createAuthorization(modes, policy),
    ...(options.authorizer ? { authorize: options.authorizer } : {}),
  };
  const loopback = createLoopbackClient((request) => server.handler(request));
  const plugins = openPlugins(options, authorization, loopback);
  const core = createServices(options, plugins, { authorization, policy });
  const flows = followFlowSchemas({
    ...options,
    objects: createStoredObjects(store, catalog),
  });
  const metrics = [new RequestMetrics(core), new HealthMetrics(core.runtime.clock.now())] as const;
  const services: FilterServices = {
    core,
    tokens: (token) => {
      const result = core.reviewToken(token, []);
      return "user" in result ? result.user : undefined;
    },
    allowsAnonymous: allowsAnonymous(modes),
    impersonate: createImpersonation(authorization.authorize),
    authorizer: authorization.authorize,
    paths: [
      ...(options.paths ?? []),
      ...metrics.map(
        (each): PathHandler =>
          async (request) =>
            each.answer(request),
      ),
    ],
    flows: flows.match,
    aggregator: options.aggregator,
    faults: options.faults,
    audit: options.audit,
  };
  const server: GenericApiServer = {
    handler: (request) => serve(request, services, metrics),
    services: core,
    close: async () => {
      flows.stop();
      policy.stop();
      for (const plugin of plugins) plugin.close?.();
      core.openWatches.endAll();
    },
  };
  return server;
}

const allowsAnonymous = (modes: readonly AuthorizationMode[]): boolean =>
  !modes.includes("AlwaysAllow");

/** A client that reaches URLs only. */
const withoutServices = ({ clock }: Runtime): WebhookClient =>
  createWebhookClient({
    clock,
    resolve(_, name) {
      throw new Error(`service ${quoteGo(name)} not found`);
    },
  });

/** How a server authorizes, and the stored roles behind it. */
interface Access {
  readonly authorization: Authorization;
  readonly policy: StoredPolicy;
}

function openPlugins(
  { store, catalog, runtime, plugins, webhookClient, scaleCodec }: GenericApiServerOptions,
  { authorize }: Authorization,
  loopback: LoopbackClient,
): readonly AdmissionPlugin[] {
  return createPlugins(plugins ?? { disable: ["ServiceAccount"] }, {
    objects: createStoredObjects(store, catalog),
    catalog,
    authorizer: authorize,
    runtime,
    webhookClient: webhookClient ?? withoutServices(runtime),
    scaleCodec,
    loopback,
  });
}

const secretOf = ({ entropy }: Runtime): string => Buffer.from(entropy.bytes(12)).toString("hex");

function createServices(
  options: GenericApiServerOptions,
  plugins: readonly AdmissionPlugin[],
  access: Access,
): CoreServices {
  const { store, runtime, catalog } = options;
  const representations = createRepresentations();
  const issuer = options.tokenIssuer ?? createTokenIssuer();
  return {
    store,
    runtime,
    catalog,
    representations,
    tableRows: new TableRows(representations, secretOf(runtime)),
    conversions: createConvertedRevisions(runtime.clock),
    frames: createFrames(representations),
    openWatches: new OpenWatches(),
    fieldManagers: createFieldManagers(catalog),
    authorization: access.authorization,
    admission: createAdmission(plugins, options, access),
    kinds: options.kinds ?? {
      goTypeOf: ({ group, version, kind }) =>
        catalog
          .all()
          .some((each) => each.group === group && each.version === version && each.kind === kind)
          ? `${version}.${kind}`
          : undefined,
      groupOfRetired: () => undefined,
    },
    scaleCodec: options.scaleCodec,
    protobuf: options.protobuf,
    tokens: issuer,
    reviewToken: createBearerTokens({
      given: options.tokens,
      allowsAnonymous: allowsAnonymous(options.authorizationModes ?? defaultModes),
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
  { mutating = [], validating }: GenericApiServerOptions,
  { authorization: { authorize }, policy: { index } }: Access,
): Admission {
  return {
    mutating: [
      ...chosen.flatMap(({ mutate }) => mutate ?? []),
      ...mutating,
      createEscalationCheck({ authorize, index }),
    ],
    validating: [...chosen.flatMap(({ validate }) => validate ?? []), ...(validating ?? [])],
  };
}

async function serve(
  api: ApiRequest,
  services: FilterServices,
  metrics: readonly (RequestMetrics | HealthMetrics)[],
): Promise<ApiResponse> {
  const request = openOrRefuse(api, services);
  if ("status" in request) return request;
  services.audit?.(request);
  const answer =
    (namesProtobuf(api) && (await refuseUnloadedProtobuf(api, services))) ||
    (await beforeDeadline(request, services, () => respond(request, services)));
  for (const each of metrics) each.count(request, answer.status);
  return request.audit ? request.audit.complete(answer) : answer;
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
  // Paths that are no resources answer without the warnings of the filters.
  const warnings = answer.headers["warning"] ? [] : request.warnings.headers();
  if (!request.flow && !warnings.length) return answer;
  const added = { ...request.flow, ...(warnings.length ? { warning: warnings } : {}) };
  return { ...answer, headers: { ...answer.headers, ...added } };
}

/** Refuses a path that no RequestInfo can be made of. */
function openOrRefuse(api: ApiRequest, { core }: FilterServices): ServerRequest | ApiResponse {
  try {
    return openRequest(api, core.runtime.clock.now());
  } catch (error) {
    if (!(error instanceof RequestInfoError)) return textResponse(400, "400 Bad Request");
    return textResponse(
      500,
      `Internal Server Error: ${quoteGo(api.path)}: failed to create RequestInfo: ${error.message}\n`,
    );
  }
}
