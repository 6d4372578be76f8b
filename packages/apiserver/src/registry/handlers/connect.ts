// Subresources with a life of their own: the kind's handler gets the parent and the body.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { managerOrUserAgent } from "../../merge/managedfields/manager-name.ts";
import { runAdmission } from "../../apimachinery/rest/admission.ts";
import { answerTransformed } from "../response/object-response.ts";
import { answerBytes } from "../response/encode-response.ts";
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
export async function connect(call: RequestScope, view: Connection): Promise<ApiResponse> {
  const { core, resource, request } = call;
  const options = readWriteOptions("CreateOptions", request.query);
  const body = await readBody(call, view, options.fieldValidation);
  const owned = tracked(call, view, body, options);
  await admitBody(call, owned, options);
  view.precheck?.(owned, { name: call.name, namespace: call.namespace });
  const parent = core.views.object(resource, findRevision(call));
  return await answerConnected(
    call,
    await view.handle(
      parent,
      owned,
      writeContextOf(call, options.dryRun),
      createConnectTools(call),
    ),
    view.codec?.encode,
  );
}

/** Answers what a handler came to. */
export async function answerConnected(
  call: RequestScope,
  answer: ConnectResponse,
  encode?: VersionCodec["encode"],
): Promise<ApiResponse> {
  if (!("text" in answer)) {
    const { core, request, accepted, subresource } = call;
    const isOwnKind = answer.object.kind === subresource?.view.kind.kind && !accepted.transform;
    if (encode && isOwnKind)
      return await answerBytes(
        core,
        request,
        accepted,
        answer.status,
        encodeObjectBytes(answer.object, encode),
      );
    return await answerTransformed(call, answer.status, answer.object);
  }
  const headers = answer.text ? { "content-type": "text/plain" } : {};
  return { status: answer.status, headers, body: new TextEncoder().encode(answer.text) };
}

/**
 * Creates through the subresource of another resource: the object of that name is the parent, and
 * need not be there yet.
 */
export async function createThrough(
  call: RequestScope,
  { resource: name, subresource }: NonNullable<ServedResource["createsThrough"]>,
  body: JsonObject,
  options: WriteOptions,
): Promise<ApiResponse> {
  const { core, resource } = call;
  const target = core.catalog.find(resource.group, resource.version, name);
  const view = target?.subresources.get(subresource);
  if (!target || view?.at !== "connect") throw genericNotFoundError();
  await admitBody(call, body, options);
  const metadata = { name: metaString(body, "name"), namespace: call.namespace };
  const through: RequestScope = { ...call, resource: target, name: metadata.name };
  view.precheck?.(body, metadata);
  return await answerConnected(
    call,
    await view.handle(
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
  view: Connection,
  body: JsonObject,
  { fieldManager }: WriteOptions,
): JsonObject {
  if (!view.codec || !Object.keys(body).length) return body;
  const manager = createBodyManager(view.kind, view.codec, subresource!.name);
  return manager.update(
    view.codec.empty?.() ?? {},
    body,
    managerOrUserAgent(fieldManager, request.api.headers["user-agent"] ?? ""),
    request.now,
  );
}

/** What a POST brings is admitted as if it were to be created. */
async function admitBody(
  call: RequestScope,
  body: JsonObject,
  options: WriteOptions,
): Promise<void> {
  const { mutating, validating } = call.core.admission;
  if (
    call.request.api.method !== "POST" ||
    !call.request.api.body.length ||
    (!mutating.length && !validating.length)
  )
    return;
  const request = admissionRequestOf(call, {
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
  call: RequestScope,
  view: Connection,
  fieldValidation: Parameters<typeof readObject>[3],
): Promise<JsonObject> {
  if (!call.request.api.body.length) return {};
  if (view.codec) {
    const object = await readObject(call, view.kind, view.codec, fieldValidation);
    matchNamespace(object, call.resource.namespaced ? call.namespace : "");
    return object;
  }
  try {
    return (await parseBody(bodyOf(call.request), "application/json")).value;
  } catch (error) {
    throw error instanceof BodyError ? badRequestError(error.message) : error;
  }
}
