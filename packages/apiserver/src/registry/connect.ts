// Subresources with a life of their own: the kind's handler gets the parent and the body.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../http/handler.ts";
import { runAdmission } from "./admission.ts";
import { answerTransformed } from "./answer/answer-result.ts";
import { badRequestError, genericNotFoundError } from "./api-errors.ts";
import { readObject } from "./body/read-object.ts";
import { BodyError, parseBody } from "./body/parse-body.ts";
import { type Call, writeContextOf } from "./call.ts";
import { createConnectTools } from "./connect-tools.ts";
import { matchNamespace } from "./object-meta/match-namespace.ts";
import { metaString } from "./object-meta/read-meta.ts";
import { formatWriteOptions, readWriteOptions, type WriteOptions } from "./options/write-options.ts";
import { findRevision } from "./read/get.ts";
import type { ConnectAnswer, ServedResource, Subresource } from "./served-resource.ts";
import { admissionRequestOf } from "./write/admission-request.ts";

/** Hands the request to the subresource. Throws 404 when the parent is not there. */
export async function connect(call: Call, view: Extract<Subresource, { readonly at: "connect" }>): Promise<ApiResponse> {
  const { core, resource, request } = call;
  const options = readWriteOptions("CreateOptions", request.query);
  const body = await readBody(call, view, options.fieldValidation);
  const parent = core.views.object(resource, findRevision(call));
  await admitBody(call, body, options);
  return await answerConnected(call, await view.handle(parent, body, writeContextOf(call, options.dryRun), createConnectTools(call)));
}

/** Answers what a handler came to. */
export async function answerConnected(call: Call, answer: ConnectAnswer): Promise<ApiResponse> {
  if (!("text" in answer)) return await answerTransformed(call, answer.status, answer.object);
  const headers = answer.text ? { "content-type": "text/plain" } : {};
  return { status: answer.status, headers, body: new TextEncoder().encode(answer.text) };
}

/** Creates through the subresource of another resource: the object of that name is the parent, and need not be there yet. */
export async function createThrough(call: Call, { resource: name, subresource }: NonNullable<ServedResource["createsThrough"]>, body: JsonObject, options: WriteOptions): Promise<ApiResponse> {
  const { core, resource } = call;
  const target = core.catalog.find(resource.group, resource.version, name);
  const view = target?.subresources.get(subresource);
  if (!target || view?.at !== "connect") throw genericNotFoundError();
  await admitBody(call, body, options);
  const metadata = { name: metaString(body, "name"), namespace: call.namespace };
  const through: Call = { ...call, resource: target, name: metadata.name };
  return await answerConnected(call, await view.handle({ metadata }, body, writeContextOf(through, options.dryRun), createConnectTools(through)));
}

/** What a POST brings is admitted as if it were to be created. */
async function admitBody(call: Call, body: JsonObject, options: WriteOptions): Promise<void> {
  const { mutating, validating } = call.core.admission;
  if (call.request.api.method !== "POST" || !call.request.api.body.length || (!mutating.length && !validating.length)) return;
  const request = admissionRequestOf(call, { operation: "CREATE", object: body, old: undefined, dryRun: options.dryRun, options: formatWriteOptions(options) });
  await runAdmission(mutating, request);
  await runAdmission(validating, request);
}

async function readBody(call: Call, view: Extract<Subresource, { readonly at: "connect" }>, fieldValidation: Parameters<typeof readObject>[3]): Promise<JsonObject> {
  if (!call.request.api.body.length) return {};
  if (view.codec) {
    const object = await readObject(call, view.kind, view.codec, fieldValidation);
    matchNamespace(object, call.resource.namespaced ? call.namespace : "");
    return object;
  }
  try {
    return (await parseBody(call.request.api.body, "application/json")).value;
  } catch (error) {
    throw error instanceof BodyError ? badRequestError(error.message) : error;
  }
}
