// Subresources with a life of their own: the kind's handler gets the parent and the body.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../http/handler.ts";
import { answerTransformed } from "./answer/answer-result.ts";
import { badRequestError } from "./api-errors.ts";
import { readObject } from "./body/read-object.ts";
import { BodyError, parseBody } from "./body/parse-body.ts";
import { type Call, writeContextOf } from "./call.ts";
import { readWriteOptions } from "./options/write-options.ts";
import { findRevision } from "./read/get.ts";
import type { Subresource } from "./served-resource.ts";

/** Hands the request to the subresource. Throws 404 when the parent is not there. */
export async function connect(call: Call, view: Extract<Subresource, { readonly at: "connect" }>): Promise<ApiResponse> {
  const { core, resource, request } = call;
  const options = readWriteOptions("CreateOptions", request.query);
  const body = await readBody(call, view, options.fieldValidation);
  const parent = core.views.object(resource, findRevision(call));
  const { status, object } = await view.handle(parent, body, writeContextOf(call, options.dryRun));
  return await answerTransformed(call, status, object);
}

async function readBody(call: Call, view: Extract<Subresource, { readonly at: "connect" }>, fieldValidation: Parameters<typeof readObject>[3]): Promise<JsonObject> {
  if (!call.request.api.body.length) return {};
  if (view.codec) return await readObject(call, view.kind, view.codec, fieldValidation);
  try {
    return (await parseBody(call.request.api.body, "application/json")).value;
  } catch (error) {
    throw error instanceof BodyError ? badRequestError(error.message) : error;
  }
}
