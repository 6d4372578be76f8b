// Size and media type of a request body. Handlers ask when they read it, so that requests without
// permission or without a target are refused first, however large their body is.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (limitedReadBody),
// pkg/endpoints/handlers/negotiation/negotiate.go (NegotiateInputSerializer), go-restful route.go.
import type { ApiStatusError } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import { maxBodyBytes } from "../../apimachinery/handler.ts";
import { type MediaType, mediaTypes } from "../negotiation/accept.ts";
import type { ServerRequest } from "../request/server-request.ts";

/** The bytes of the body. Throws 413. */
export function bodyOf({ api }: ServerRequest): Uint8Array {
  if (api.body.length > maxBodyBytes)
    throw failure(
      413,
      "RequestEntityTooLarge",
      `Request entity too large: limit is ${maxBodyBytes}`,
    );
  return api.body;
}

/** The media type that a Content-Type header names; JSON if it is empty. Throws 415. */
export function readContentType(header: string): MediaType {
  if (header === "" || header === "application/json") return "application/json";
  const mediaType = header.split(";", 1)[0]!.trim().toLowerCase() as MediaType;
  if (mediaTypes.includes(mediaType) && !/;\s*;|;\s*[^=;\s]+\s*(?:;|$)|;\s*=/.test(header))
    return mediaType;
  throw unsupportedMediaTypeError(mediaTypes);
}

/** 415, naming what would be accepted. */
export function unsupportedMediaTypeError(accepted: readonly string[]): ApiStatusError {
  return failure(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(", ")}`,
  );
}
