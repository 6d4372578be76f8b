// The core of a whole server: the chain over every kind there is, with discovery, health and the
// upkeep of definitions.
// Upstream: k8s.io/kubernetes/pkg/controlplane/instance.go.
import type { Runtime } from "homeostat/runtime";
import { createTokenIssuer, type TokenIssuer } from "../certificates/token-issuer.ts";
import { createDiscovery } from "../discovery/discovery.ts";
import type { Handler, UserInfo } from "../http/handler.ts";
import { readServiceRanges, type ServiceRanges } from "../kinds/core/service/service-ranges.ts";
import { createKinds } from "../kinds/create-kinds.ts";
import type { KindData } from "../kinds/data/kind-data.ts";
import { readBootstrapObjects, readKindData } from "../kinds/data/read-kind-data.ts";
import { createTypedCodec } from "../kinds/object/typed-codec.ts";
import { createKindTypes } from "../merge/smd-from-kind-data.ts";
import { wantsPretty } from "../registry/negotiation/accept.ts";
import { createOpenApi, type OpenApiService } from "../openapi/openapi-answer.ts";
import { encodeOpenApiDocument } from "../protobuf/openapi-document.ts";
import { encodeOpenApiThree } from "../protobuf/openapi-document-v3.ts";
import { createProtobufCodec } from "../protobuf/protobuf-codec.ts";
import { formatSeconds } from "../registry/request/server-request.ts";
import type { VersionCodec } from "../registry/served-resource.ts";
import { startCompactor } from "../storage/start-compactor.ts";
import type { Store } from "../storage/store.ts";
import type { PluginChoice } from "./admission/plugins.ts";
import { bootstrapTexts } from "./bootstrap/bootstrap-objects.ts";
import { storeBootstrapObjects } from "./bootstrap/store-bootstrap-objects.ts";
import { createCore } from "./create-core.ts";
import { expireEvents } from "./expire-events.ts";
import { startHousekeeping } from "./housekeeping/housekeeping.ts";
import type { PathHandler } from "./request-chain.ts";
import { hostAndPort, type ServerAddress } from "./server-address.ts";

export interface ServerCoreOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  /** Bearer tokens and whom they stand for. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  /**
   * Signs the tokens of service accounts, and believes them. Default: one with a key of its own.
   */
  readonly tokenIssuer?: TokenIssuer;
  /** Which of upstream's admission plug-ins are at work. */
  readonly plugins?: PluginChoice;
  /** Where services get addresses and node ports. Default: 10.0.0.0/24, and 30000 to 32767. */
  readonly serviceRanges?: ServiceRanges;
  /**
   * PEM of the authority whose client certificates are believed; clients find it in kube-system.
   */
  readonly clientCa?: string;
  /** Where the server listens, if it does. */
  readonly address?: ServerAddress;
  /** See ApiServerOptions. */
  readonly compactionIntervalMs?: number;
  readonly eventTtlMs?: number;
  /** Told what goes wrong in the background. */
  readonly warn?: (message: string, error: unknown) => void;
}

/** The API itself, without any door. */
export interface ServerCore {
  readonly handler: Handler;
  readonly kindData: KindData;
  /** Ends every watch; nothing is written afterwards. */
  close(): Promise<void>;
}

/**
 * Creates the core of a server. Resolves once what is stored is served and the server's own objects
 * are there.
 */
export async function createServerCore(options: ServerCoreOptions): Promise<ServerCore> {
  const { store, runtime, tokens, tokenIssuer, plugins, clientCa, address } = options;
  const isNew = store.revision() === 0;
  const data = readKindData("1.36");
  const ranges = options.serviceRanges ?? readServiceRanges({});
  const kinds = createKinds(data, ranges);
  const { catalog } = kinds;
  const protobuf = createProtobufCodec(data);
  const issuer = tokenIssuer ?? createTokenIssuer();
  const core = createCore({
    store,
    runtime,
    tokens,
    tokenIssuer: issuer,
    ...(plugins ? { plugins } : {}),
    catalog,
    protobuf,
    scaleCodec: createScaleCodec(data),
    kinds: {
      has: (group, version, kind) =>
        data.typeOf(group, version, kind) !== undefined ||
        catalog
          .all()
          .some((each) => each.group === group && each.version === version && each.kind === kind),
    },
    paths: [
      discoveryPaths(
        createDiscovery({
          catalog,
          protobuf: protobuf.encode,
          issuer,
          address: address ? hostAndPort(address) : withoutPort,
        }),
      ),
      openApiPaths(
        createOpenApi(catalog, data, { two: encodeOpenApiDocument, three: encodeOpenApiThree }),
      ),
    ],
  });
  const now = formatSeconds(runtime.clock.now());
  const ownObjects = (): readonly string[] =>
    bootstrapTexts(readBootstrapObjects("1.36"), { ranges, port: address?.port, clientCa, now });
  await storeBootstrapObjects(ownObjects(), { store, catalog, runtime, now });
  await kinds.start({ handler: core.handler, runtime, warn: options.warn });
  // What happened before a server was ready is nobody's to watch: as upstream's, its first
  // revisions are too old.
  if (isNew) store.compact(store.revision());
  const endCompaction = startCompactor(store, runtime.clock, options.compactionIntervalMs);
  const endExpiry = expireEvents(core.services, options.eventTtlMs, options.warn);
  const endHousekeeping = startHousekeeping({
    core: core.services,
    handler: core.handler,
    ownObjects,
    ...(address ? { address } : {}),
  });
  return {
    handler: core.handler,
    kindData: data,
    close: async () => {
      endCompaction();
      endExpiry();
      await endHousekeeping();
      kinds.stop();
      await core.close();
    },
  };
}

/**
 * The address of a server that is reached within its process alone: the name that pods know it by.
 */
const withoutPort = "kubernetes.default.svc:443";

function createScaleCodec(data: KindData): VersionCodec {
  const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
  const { model } = data.typeOf(kind.group, kind.version, kind.kind)!;
  return createTypedCodec({
    data,
    kind,
    model,
    smd: createKindTypes(data)(model),
    emptyLists: "null",
  });
}

function discoveryPaths(discovery: ReturnType<typeof createDiscovery>): PathHandler {
  return ({ api, info, query }) =>
    discovery({
      method: api.method,
      path: info.path,
      query: query.raw,
      accept: api.headers["accept"] ?? "",
      ifNoneMatch: api.headers["if-none-match"],
      pretty: wantsPretty(query, api.headers["user-agent"] ?? ""),
    });
}

/** Upstream's handlers do not ask for a method. */
function openApiPaths(openApi: OpenApiService): PathHandler {
  return async ({ api, info, query, nowMs }) =>
    openApi({
      path: info.path,
      query: new URLSearchParams(query.raw),
      headers: api.headers,
      nowMs,
    });
}
