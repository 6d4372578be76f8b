// The media type of a request body.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go
// (NegotiateInputSerializer), go-restful route.go.
import type { ApiStatusError } from "homeostat/api";
import { failure } from "../../apimachinery/errors/api-errors.ts";
import { type MediaType, mediaTypes } from "../negotiation/accept.ts";

/** The body's media type; JSON when nothing is said. Throws 415. */
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
