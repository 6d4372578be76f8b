// The body of a request, for those who read one. Its size is looked at no sooner: who may not ask,
// or asks for what does not exist, is told so however much is sent.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (limitedReadBody).
import { maxBodyBytes } from "../../apimachinery/handler.ts";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import type { ServerRequest } from "../request/server-request.ts";

/** Throws 413. */
export function bodyOf({ api }: ServerRequest): Uint8Array {
  if (api.body.length > maxBodyBytes)
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: limit is ${maxBodyBytes}`,
    );
  return api.body;
}
