// Requests to subresources that connect: the kind's handler gets the parent and the body.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (ConnectResource), create.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { transformedResponse } from "../response/object-response.ts";
import { bytesResponse } from "../response/encode-response.ts";
import { badRequestError, genericNotFoundError } from "../../apimachinery/errors/api-errors.ts";
import { readObject } from "../body/read-object.ts";
import { BodyError, parseBody } from "../body/parse-body.ts";
import { bodyOf } from "../body/request-body.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { writeContextOf } from "../scope/write-context-of.ts";
import { admitConnection, isConnection } from "./admit-connection.ts";
import { createConnectTools } from "./connect-tools.ts";
import { matchNamespace } from "../../apimachinery/meta/match-namespace.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import {
  formatWriteOptions,
  readWriteOptions,
  type WriteOptions,
} from "../options/write-options.ts";
import { findRevision } from "./get.ts";
import type { ConnectResponse } from "../../apimachinery/rest/connecter.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { Subresource } from "../../apimachinery/rest/subresource.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { encodeObjectBytes } from "../revisions/stored-json.ts";
import { admitMutating, type AdmittedWrite, admitValidating } from "../store/admit.ts";
import { createBodyManager } from "../managed-fields/field-managers.ts";

type Connection = Extract<Subresource, { readonly at: "connect" }>;

/** Passes the request to the subresource. Throws 404 if the parent does not exist. */
export async function connect(scope: RequestScope, endpoint: Connection): Promise<ApiResponse> {
  const { core, resource, request } = scope;
  if (isConnection(endpoint)) await admitConnection(scope, endpoint);
  const options = readWriteOptions("CreateOptions", request.query);
  const body = await readBody(scope, endpoint, options.fieldValidation);
  const owned = tracked(scope, endpoint, body, options);
  const write = isConnection(endpoint) ? undefined : createOf(scope, owned, options);
  if (write) await admitMutating(scope, () => write);
  const { name, namespace } = scope;
  endpoint.precheck?.(owned, { name, namespace, dryRun: options.dryRun });
  if (write && !endpoint.complete) await admitValidating(scope, () => write);
  const parent = core.representations.object(resource, findRevision(scope));
  const context = writeContextOf(scope, options.dryRun);
  const tools = createConnectTools(scope);
  endpoint.complete?.(owned, parent, context, tools);
  if (write && endpoint.complete) await admitValidating(scope, () => write);
  const result = await endpoint.handle(parent, owned, context, tools);
  return await connectedResponse(scope, result, endpoint.codec?.encode);
}

/** The response with the result of a handler. */
export async function connectedResponse(
  scope: RequestScope,
  result: ConnectResponse,
  encode?: VersionCodec["encode"],
): Promise<ApiResponse> {
  const { status } = result;
  if ("text" in result) {
    const headers = result.text ? { "content-type": "text/plain" } : {};
    return { status, headers, body: new TextEncoder().encode(result.text) };
  }
  const { accepted, subresource } = scope;
  const isOwnKind = result.object.kind === subresource?.endpoint.kind.kind;
  return encode && isOwnKind && !accepted.transform
    ? await bytesResponse(scope, status, encodeObjectBytes(result.object, encode))
    : await transformedResponse(scope, status, result.object);
}

/** Creates through a subresource of another resource; the parent need not exist. */
export async function createThrough(
  scope: RequestScope,
  { resource: name, subresource }: NonNullable<ServedResource["createsThrough"]>,
  body: JsonObject,
  options: WriteOptions,
): Promise<ApiResponse> {
  const { core, resource } = scope;
  const target = core.catalog.find(resource.group, resource.version, name);
  const endpoint = target?.subresources.get(subresource);
  if (!target || endpoint?.at !== "connect") throw genericNotFoundError();
  const metadata = { name: metaString(body, "name"), namespace: scope.namespace };
  const write = createOf(scope, body, options);
  if (write) await admitMutating({ ...scope, name: metadata.name }, () => write);
  const through: RequestScope = { ...scope, resource: target, name: metadata.name };
  endpoint.precheck?.(body, { ...metadata, dryRun: options.dryRun });
  if (write) await admitValidating({ ...scope, name: metadata.name }, () => write);
  return await connectedResponse(
    scope,
    await endpoint.handle(
      { metadata },
      body,
      writeContextOf(through, options.dryRun),
      createConnectTools(through),
    ),
  );
}

/** Adds managedFields to a body. */
function tracked(
  { request, subresource }: RequestScope,
  endpoint: Connection,
  body: JsonObject,
  { fieldManager }: WriteOptions,
): JsonObject {
  if (!endpoint.codec || !Object.keys(body).length) return body;
  const manager = createBodyManager(endpoint.kind, endpoint.codec, subresource!.name);
  return manager.update(
    endpoint.codec.empty?.() ?? {},
    body,
    managerOrUserAgent(fieldManager, request.api.headers["user-agent"] ?? ""),
    request.now,
  );
}

/** What admission sees of the body of a POST. */
function createOf(
  { request: { api } }: RequestScope,
  body: JsonObject,
  options: WriteOptions,
): AdmittedWrite | undefined {
  if (api.method !== "POST" || !api.body.length) return undefined;
  return {
    operation: "CREATE",
    object: body,
    old: undefined,
    dryRun: options.dryRun,
    options: formatWriteOptions(options),
  };
}

async function readBody(
  scope: RequestScope,
  endpoint: Connection,
  fieldValidation: Parameters<typeof readObject>[3],
): Promise<JsonObject> {
  const { method, body } = scope.request.api;
  // Reads have no body, and that of a connection is what it streams.
  if (isConnection(endpoint) || method === "GET" || (!body.length && !endpoint.codec)) return {};
  if (endpoint.codec) {
    const object = await readObject(scope, endpoint.kind, endpoint.codec, fieldValidation);
    matchNamespace(object, scope.resource.namespaced ? scope.namespace : "");
    return object;
  }
  try {
    return (await parseBody(bodyOf(scope.request), "application/json")).value;
  } catch (error) {
    throw error instanceof BodyError ? badRequestError(error.message) : error;
  }
}
