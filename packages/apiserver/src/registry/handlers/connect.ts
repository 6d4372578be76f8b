// Subresources with a life of their own: the kind's handler gets the parent and the body.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { runAdmission } from "../../apimachinery/rest/admission.ts";
import { transformedResponse } from "../response/object-response.ts";
import { bytesResponse } from "../response/encode-response.ts";
import { badRequestError, genericNotFoundError } from "../../apimachinery/errors/api-errors.ts";
import { readObject } from "../body/read-object.ts";
import { BodyError, parseBody } from "../body/parse-body.ts";
import { bodyOf } from "../body/request-body.ts";
import { type RequestScope, writeContextOf } from "../scope/request-scope.ts";
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
import { admissionRequestOf } from "../store/admission-request.ts";
import { createBodyManager } from "../managed-fields/field-managers.ts";

type Connection = Extract<Subresource, { readonly at: "connect" }>;

/** Hands the request to the subresource. Throws 404 when the parent is not there. */
export async function connect(scope: RequestScope, endpoint: Connection): Promise<ApiResponse> {
  const { core, resource, request } = scope;
  const options = readWriteOptions("CreateOptions", request.query);
  const body = await readBody(scope, endpoint, options.fieldValidation);
  const owned = tracked(scope, endpoint, body, options);
  await admitBody(scope, owned, options);
  endpoint.precheck?.(owned, { name: scope.name, namespace: scope.namespace });
  const parent = core.representations.object(resource, findRevision(scope));
  return await connectedResponse(
    scope,
    await endpoint.handle(
      parent,
      owned,
      writeContextOf(scope, options.dryRun),
      createConnectTools(scope),
    ),
    endpoint.codec?.encode,
  );
}

/** Answers what a handler came to. */
export async function connectedResponse(
  scope: RequestScope,
  answer: ConnectResponse,
  encode?: VersionCodec["encode"],
): Promise<ApiResponse> {
  if (!("text" in answer)) {
    const { core, request, accepted, subresource } = scope;
    const isOwnKind = answer.object.kind === subresource?.endpoint.kind.kind && !accepted.transform;
    if (encode && isOwnKind)
      return await bytesResponse(
        core,
        request,
        accepted,
        answer.status,
        encodeObjectBytes(answer.object, encode),
      );
    return await transformedResponse(scope, answer.status, answer.object);
  }
  const headers = answer.text ? { "content-type": "text/plain" } : {};
  return { status: answer.status, headers, body: new TextEncoder().encode(answer.text) };
}

/**
 * Creates through the subresource of another resource: the object of that name is the parent, and
 * need not be there yet.
 */
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
  await admitBody(scope, body, options);
  const metadata = { name: metaString(body, "name"), namespace: scope.namespace };
  const through: RequestScope = { ...scope, resource: target, name: metadata.name };
  endpoint.precheck?.(body, metadata);
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

/** Enters the fields of a body in the writer's name. */
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

/** What a POST brings is admitted as if it were to be created. */
async function admitBody(
  scope: RequestScope,
  body: JsonObject,
  options: WriteOptions,
): Promise<void> {
  const { mutating, validating } = scope.core.admission;
  if (
    scope.request.api.method !== "POST" ||
    !scope.request.api.body.length ||
    (!mutating.length && !validating.length)
  )
    return;
  const request = admissionRequestOf(scope, {
    operation: "CREATE",
    object: body,
    old: undefined,
    dryRun: options.dryRun,
    options: formatWriteOptions(options),
  });
  await runAdmission(mutating, request);
  await runAdmission(validating, request);
}

async function readBody(
  scope: RequestScope,
  endpoint: Connection,
  fieldValidation: Parameters<typeof readObject>[3],
): Promise<JsonObject> {
  if (!scope.request.api.body.length) return {};
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
