// The API server of a control plane: the generic server over all kinds, with discovery, OpenAPI,
// bootstrap objects and post-start hooks.
// Upstream: k8s.io/kubernetes/pkg/controlplane/instance.go.
import type { Runtime } from "homeostat/runtime";
import type { TokenIssuer } from "../apimachinery/rest/token-issuer.ts";
import { createTokenIssuer } from "../certificates/token-issuer.ts";
import type { Auditor } from "../audit/open-audit.ts";
import { createDiscovery, type DiscoveryOptions } from "../discovery/discovery.ts";
import type { FaultFilter } from "../faults/commit-faults.ts";
import type { Handler } from "../apimachinery/handler.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { createKinds } from "./create-kinds.ts";
import { goTypeOf, groupOfRetired } from "../kinds/registered-types.ts";
import type { KindData } from "../apimachinery/kind-data/kind-data.ts";
import {
  readBootstrapObjects,
  readDescriptions,
  readKindData,
} from "../apimachinery/kind-data/read-kind-data.ts";
import { createTypedCodec } from "../kinds/serializer/typed-codec.ts";
import { createKindTypes } from "../merge/typed/smd-from-kind-data.ts";
import { wantsPretty } from "../registry/negotiation/accept.ts";
import type { OpenApiService, RemoteOpenApi } from "../openapi/openapi-service.ts";
import { createLateProtobuf } from "./late-protobuf.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { ResourceCatalog } from "../apimachinery/rest/resource-catalog.ts";
import type { VersionCodec } from "../apimachinery/rest/version-codec.ts";
import type { ServiceLocation } from "../webhook-client/webhook-client.ts";
import { createWebhookServices } from "./webhook-services.ts";
import { startCompactor } from "../storage/start-compactor.ts";
import type { Store } from "../storage/store.ts";
import type { AuthorizationMode } from "../authorization/modes.ts";
import type { PluginChoice } from "../admission/plugins.ts";
import { bootstrapTexts } from "../post-start-hooks/bootstrap/bootstrap-objects.ts";
import { storeBootstrapObjects } from "../post-start-hooks/bootstrap/store-bootstrap-objects.ts";
import { createGenericApiServer } from "./generic-api-server.ts";
import type { FrontProxyCertificate } from "../aggregator/forwarder.ts";
import { createAggregation } from "./aggregation.ts";
import { createLoopbackClient } from "../post-start-hooks/loopback-client.ts";
import {
  type PostStartHookOptions,
  startPostStartHooks,
} from "../post-start-hooks/post-start-hooks.ts";
import type { PathHandler } from "./handler-chain.ts";
import { hostAndPort, type ServerAddress } from "../apimachinery/server-address.ts";

export interface ControlPlaneOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  /** Static bearer tokens and their users. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  /**
   * Issues and verifies service account tokens. Default: one with a generated key.
   */
  readonly tokenIssuer?: TokenIssuer;
  /** The admission plug-ins to enable and disable. */
  readonly plugins?: PluginChoice;
  /** Default: RBAC. */
  readonly authorizationModes?: readonly AuthorizationMode[];
  /** Cluster addresses and node ports. Default: 10.0.0.0/24, and 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /**
   * PEM of the authority of client certificates, published in kube-system.
   */
  readonly clientCa?: string;
  /** See ApiServerOptions. */
  readonly serviceLocations?: ReadonlyMap<string, ServiceLocation> | undefined;
  /** See ApiServerOptions. */
  readonly openApiDescriptions?: boolean;
  /** Groups behind feature gates that are served. Default: none. */
  readonly enabledGroups?: ReadonlySet<string>;
  /** Issues the certificate by which other API servers know this one. */
  readonly frontProxy?: (() => Promise<FrontProxyCertificate>) | undefined;
  /** Absent when the server does not listen. */
  readonly address?: ServerAddress;
  /** The address that the endpoints of the service `kubernetes` have. Default: no endpoints. */
  readonly advertiseAddress?: string | undefined;
  /** See ApiServerOptions. */
  readonly compactionIntervalMs?: number;
  readonly eventTtlMs?: number;
  /** Commits faults. Default: none. */
  readonly faults?: FaultFilter | undefined;
  /** Records requests. Default: none. */
  readonly audit?: Auditor | undefined;
  /** Reports failures in the background that retries do not mend. */
  readonly warn?: (message: string, error: unknown) => void;
}

/** The API server without a port. */
export interface ControlPlane {
  readonly handler: Handler;
  readonly kindData: KindData;
  /** Whether a path belongs to another server, which may upgrade connections. */
  readonly upgrades: (path: string) => boolean;
  /** Stops the hooks and closes every watch. */
  close(): Promise<void>;
}

/** Resolves once stored definitions are served and the bootstrap objects exist. */
export async function createControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { store, runtime, tokens, tokenIssuer, plugins, clientCa, address } = options;
  const { authorizationModes, faults, audit } = options;
  const isNew = store.revision() === 0;
  const data = readKindData("1.36", options.enabledGroups);
  const ranges = options.serviceRanges ?? readServiceRanges({});
  const webhook = createWebhookServices(options, () => kinds.catalog);
  const kinds = createKinds({ data, ranges, webhook });
  const { catalog } = kinds;
  const { aggregator, check } = createAggregation(options, catalog, webhook);
  const protobuf = createLateProtobuf(data);
  const issuer = tokenIssuer ?? createTokenIssuer();
  const core = createGenericApiServer({
    store,
    runtime,
    tokens,
    tokenIssuer: issuer,
    ...(plugins ? { plugins } : {}),
    ...(authorizationModes ? { authorizationModes } : {}),
    faults,
    audit,
    aggregator,
    catalog,
    protobuf,
    webhookClient: webhook.client,
    scaleCodec: createScaleCodec(data),
    kinds: { goTypeOf: (kind, group) => goTypeOf(data, kind, group), groupOfRetired },
    paths: pathsOf(options, { data, catalog, protobuf: protobuf.encode, issuer, aggregator }),
  });
  const now = formatSeconds(runtime.clock.now());
  const configuration = { ranges, port: address?.port, clientCa, now, groups: data.groups };
  const bootstrapObjects = () => bootstrapTexts(readBootstrapObjects("1.36"), configuration);
  await storeBootstrapObjects(bootstrapObjects(), { store, catalog, runtime, now });
  const loopback = createLoopbackClient(core.handler);
  const openWatches = (storageKey: string) => core.services.openWatches.openOn(storageKey);
  await kinds.start({ loopback, runtime, openWatches, warn: options.warn });
  // As upstream's, the first revisions of a server are too old to watch from.
  if (isNew) store.compact(store.revision());
  const hooks = { core: core.services, loopback, bootstrapObjects, remote: check(loopback) };
  const stopHooks = startHooks(hooks, options);
  const close = async (): Promise<void> => {
    await stopHooks();
    await kinds.stop();
    webhook.client.close();
    aggregator.close();
    await core.close();
  };
  return { handler: core.handler, kindData: data, upgrades: aggregator.serves, close };
}

/** Starts compaction and the post-start hooks. Returns a function that stops them. */
function startHooks(
  hooks: Pick<PostStartHookOptions, "core" | "loopback" | "bootstrapObjects" | "remote">,
  options: ControlPlaneOptions,
): () => Promise<void> {
  const { store, runtime, address, advertiseAddress: ip } = options;
  const { warn, eventTtlMs, compactionIntervalMs } = options;
  const stopCompaction = startCompactor(store, runtime.clock, compactionIntervalMs);
  const stop = startPostStartHooks({
    ...hooks,
    warn,
    eventTtlMs,
    ...(address ? { address } : {}),
    ...(address && ip && !ip.startsWith("127.") ? { advertised: { ip, port: address.port } } : {}),
  });
  return () => {
    stopCompaction();
    return stop();
  };
}

/** The address that discovery shows when the server does not listen: its name inside a cluster. */
const withoutPort = "kubernetes.default.svc:443";

function createScaleCodec(data: KindData): VersionCodec {
  const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
  const { model } = data.typeOf(kind.group, kind.version, kind.kind)!;
  return createTypedCodec({
    data,
    kind,
    model,
    smd: () => createKindTypes(data)(model),
    emptyLists: "null",
  });
}

/** Discovery and OpenAPI. */
function pathsOf(
  options: ControlPlaneOptions,
  { data, catalog, protobuf, issuer, aggregator }: PathSources,
): readonly PathHandler[] {
  return [
    discoveryOf(options, {
      catalog,
      ...(protobuf ? { protobuf } : {}),
      issuer,
      remote: aggregator,
      clock: options.runtime.clock,
      startedAtMs: options.runtime.clock.now(),
    }),
    openApiPaths(options, { catalog, data, remote: aggregator }),
  ];
}

interface PathSources extends Required<Pick<DiscoveryOptions, "catalog" | "issuer">> {
  readonly protobuf: DiscoveryOptions["protobuf"];
  readonly data: KindData;
  readonly aggregator: ReturnType<typeof createAggregation>["aggregator"];
}

function discoveryOf(
  { address }: ControlPlaneOptions,
  options: Omit<DiscoveryOptions, "address">,
): PathHandler {
  const discovery = createDiscovery({
    ...options,
    address: address ? hostAndPort(address) : withoutPort,
  });
  return ({ api, info, query, audit }) =>
    discovery({
      audit,
      method: api.method,
      path: info.path,
      query: query.raw,
      accept: api.headers["accept"] ?? "",
      ifNoneMatch: api.headers["if-none-match"],
      pretty: wantsPretty(query, api.headers["user-agent"] ?? ""),
    });
}

/**
 * Upstream's handlers ignore the method. The modules load on the first request, because many
 * servers of tests never get one.
 */
function openApiPaths(options: ControlPlaneOptions, sources: OpenApiSources): PathHandler {
  let service: OpenApiService | undefined;
  return async ({ api, info, query, nowMs }) => {
    if (!info.path.startsWith("/openapi/")) return undefined;
    const loaded = service ?? (await loadOpenApi(options, sources));
    service ??= loaded;
    return service({
      path: info.path,
      query: new URLSearchParams(query.raw),
      headers: api.headers,
      nowMs,
    });
  };
}

interface OpenApiSources {
  readonly catalog: ResourceCatalog;
  readonly data: KindData;
  readonly remote: RemoteOpenApi;
}

async function loadOpenApi(
  { openApiDescriptions }: ControlPlaneOptions,
  { catalog, data, remote }: OpenApiSources,
): Promise<OpenApiService> {
  const [{ createOpenApi }, { encodeOpenApiDocument }, { encodeOpenApiThree }] = await Promise.all([
    import("../openapi/openapi-service.ts"),
    import("../protobuf/openapi-document.ts"),
    import("../protobuf/openapi-document-v3.ts"),
  ]);
  const forms = { two: encodeOpenApiDocument, three: encodeOpenApiThree };
  return createOpenApi(catalog, data, {
    forms,
    descriptions: () => readDescriptions("1.36"),
    describes: openApiDescriptions ? "everything" : "shared models",
    remote,
  });
}
