// The core of a whole server: the chain over every kind there is, with discovery, health and the upkeep of definitions.
// Upstream: k8s.io/kubernetes/pkg/controlplane/instance.go.
import { encodeJsonBytes, type JsonObject } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { TokenIssuer } from "../certificates/token-issuer.ts";
import { createDiscovery } from "../discovery/discovery.ts";
import type { Handler, UserInfo } from "../http/handler.ts";
import { bootstrapNamespaces } from "../kinds/core/bootstrap-namespaces.ts";
import { bootstrapService } from "../kinds/core/bootstrap-service.ts";
import { createKinds } from "../kinds/create-kinds.ts";
import type { KindData } from "../kinds/data/kind-data.ts";
import { readKindData } from "../kinds/data/read-kind-data.ts";
import { createTypedCodec } from "../kinds/object/typed-codec.ts";
import { createKindTypes } from "../merge/smd-from-kind-data.ts";
import { wantsPretty } from "../registry/negotiation/accept.ts";
import { createOpenApi, type OpenApiService } from "../openapi/openapi-answer.ts";
import { bootstrapPriorityClasses } from "../kinds/scheduling/bootstrap-priority-classes.ts";
import { encodeOpenApiDocument } from "../protobuf/openapi-document.ts";
import { createProtobufCodec } from "../protobuf/protobuf-codec.ts";
import type { VersionCodec } from "../registry/served-resource.ts";
import { startCompactor } from "../storage/start-compactor.ts";
import type { Store } from "../storage/store.ts";
import { createCore } from "./create-core.ts";
import { expireEvents } from "./expire-events.ts";
import type { PathHandler } from "./request-chain.ts";

export interface ServerCoreOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  /** Bearer tokens and whom they stand for. */
  readonly tokens: ReadonlyMap<string, UserInfo>;
  /** Signs the tokens of service accounts, and believes them. Default: one with a key of its own. */
  readonly tokenIssuer?: TokenIssuer;
  /** See ApiServerOptions. */
  readonly compactionIntervalMs?: number;
  readonly eventTtlMs?: number;
}

/** The API itself, without any door. */
export interface ServerCore {
  readonly handler: Handler;
  /** Ends every watch; nothing is written afterwards. */
  close(): Promise<void>;
}

/** Creates the core of a server. Resolves once what is stored is served and the system's namespaces are there. */
export async function createServerCore(options: ServerCoreOptions): Promise<ServerCore> {
  const { store, runtime, tokens, tokenIssuer } = options;
  const isNew = store.revision() === 0;
  const data = readKindData("1.36");
  const kinds = createKinds(data);
  const { catalog } = kinds;
  const protobuf = createProtobufCodec(data);
  const core = createCore({
    store,
    runtime,
    tokens,
    ...(tokenIssuer ? { tokenIssuer } : {}),
    catalog,
    protobuf,
    scaleCodec: createScaleCodec(data),
    kinds: { has: (group, version, kind) => data.typeOf(group, version, kind) !== undefined || catalog.all().some((each) => each.group === group && each.version === version && each.kind === kind) },
    paths: [discoveryPaths(createDiscovery({ catalog, protobuf: protobuf.encode })), openApiPaths(createOpenApi(catalog, data, encodeOpenApiDocument))],
  });
  await kinds.start({ handler: core.handler, runtime });
  await bootstrapNamespaces((namespace) => createAsServer(core.handler, "/api/v1/namespaces", namespace));
  await bootstrapService((service) => createAsServer(core.handler, "/api/v1/namespaces/default/services", service));
  await bootstrapPriorityClasses((priorityClass) => createAsServer(core.handler, "/apis/scheduling.k8s.io/v1/priorityclasses", priorityClass));
  // What happened before a server was ready is nobody's to watch: as upstream's, its first revisions are too old.
  if (isNew) store.compact(store.revision());
  const endCompaction = startCompactor(store, runtime.clock, options.compactionIntervalMs);
  const endExpiry = expireEvents(core.services, options.eventTtlMs);
  return {
    handler: core.handler,
    close: async () => {
      endCompaction();
      endExpiry();
      kinds.stop();
      await core.close();
    },
  };
}

function createScaleCodec(data: KindData): VersionCodec {
  const kind = { group: "autoscaling", version: "v1", kind: "Scale" };
  const { model } = data.typeOf(kind.group, kind.version, kind.kind)!;
  return createTypedCodec({ data, kind, model, smd: createKindTypes(data)(model), emptyLists: "null" });
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
      host: api.headers["host"] ?? "",
    });
}

function openApiPaths(openApi: OpenApiService): PathHandler {
  return async ({ api, info, query, nowMs }) =>
    api.method === "GET" || api.method === "HEAD" ? openApi({ path: info.path, query: new URLSearchParams(query.raw), headers: api.headers, nowMs }) : undefined;
}

/** What the server itself creates; what is there already, from before a restart, is left as it is. */
async function createAsServer(handler: Handler, path: string, object: JsonObject): Promise<void> {
  const user = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };
  const headers = { "content-type": "application/json", "user-agent": "kube-apiserver/v1.36.3" };
  const { name } = object["metadata"] as { readonly name: string };
  const known = await handler({ method: "GET", path: `${path}/${name}`, headers, body: new Uint8Array(), user });
  if (known.status === 200) return;
  const answer = await handler({ method: "POST", path, headers, body: encodeJsonBytes(object), user });
  if (answer.status >= 300 && answer.status !== 409)
    throw new Error(`create ${path} at start: expected 201 or 409, got ${answer.status}: ${answer.body instanceof Uint8Array ? Buffer.from(answer.body).toString("utf8") : ""}`);
}
