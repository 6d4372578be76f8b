// The body of an answer in the representation agreed on. JSON is the usual case and costs nothing
// extra.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { CoreServices } from "../scope/core-services.ts";
import { type Accepted, wantsPretty } from "../negotiation/accept.ts";
import { indentJson } from "../negotiation/indent-json.ts";
import type { ServerRequest } from "../request/server-request.ts";
import { encodeObjectText, parseStored } from "../revisions/stored-json.ts";
import { formatYaml } from "./format-yaml.ts";

const encoder = new TextEncoder();
const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** An answer whose JSON bytes are there already. */
export async function bytesResponse(
  core: CoreServices,
  request: ServerRequest,
  accepted: Accepted,
  status: number,
  bytes: Uint8Array,
): Promise<ApiResponse> {
  if (
    accepted.mediaType === "application/json" &&
    !accepted.pretty &&
    !wantsPretty(request.query, request.api.headers["user-agent"] ?? "")
  ) {
    return { status, headers: headersOf(request, jsonHeaders), body: endLine(bytes) };
  }
  return await textResponse(
    core,
    request,
    accepted,
    status,
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8"),
  );
}

/** An answer from an object. */
export async function objectResponse(
  core: CoreServices,
  request: ServerRequest,
  accepted: Accepted,
  status: number,
  object: JsonObject,
): Promise<ApiResponse> {
  return await bytesResponse(
    core,
    request,
    accepted,
    status,
    encoder.encode(encodeObjectText(object)),
  );
}

async function textResponse(
  core: CoreServices,
  request: ServerRequest,
  { mediaType, pretty }: Accepted,
  status: number,
  text: string,
): Promise<ApiResponse> {
  const headers = headersOf(request, { "content-type": mediaType });
  if (mediaType === "application/yaml")
    return { status, headers, body: encoder.encode(formatYaml(parseStored(encoder.encode(text)))) };
  if (mediaType === "application/vnd.kubernetes.protobuf") {
    const body = core.protobuf?.encode?.(parseStored(encoder.encode(text)));
    return body
      ? { status, headers, body }
      : { status, headers: headersOf(request, jsonHeaders), body: encoder.encode(text) };
  }
  const indented = pretty || wantsPretty(request.query, request.api.headers["user-agent"] ?? "");
  return {
    status,
    headers,
    body: indented ? encoder.encode(indentJson(text)) : endLine(encoder.encode(text)),
  };
}

const newline = 10;

/** Go's encoder ends every document with a line feed; stored bytes have none. */
function endLine(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) === newline) return bytes;
  const out = Buffer.allocUnsafe(bytes.length + 1);
  out.set(bytes);
  out[bytes.length] = newline;
  return out;
}

/** Warnings belong to every answer. */
export function headersOf(
  request: ServerRequest,
  headers: Readonly<Record<string, string>>,
): ApiResponse["headers"] {
  const warnings = request.warnings.headers();
  return warnings.length ? { ...headers, warning: warnings } : headers;
}
