// Encodes a response in the negotiated media type. Plain JSON, the usual case, is passed through.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/writers.go.
import type { JsonObject, Status } from "homeostat/api";
import { BodyParts, slabBytes } from "../../apimachinery/body-parts.ts";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { wantsPretty } from "../negotiation/accept.ts";
import { indentJson } from "../negotiation/indent-json.ts";
import type { ServerRequest } from "../request/server-request.ts";
import { encodeObjectText, parseStored } from "../revisions/stored-json.ts";
import { formatYaml } from "./format-yaml.ts";

const encoder = new TextEncoder();
/** The media type of Kubernetes' protobuf. */
export const protobufType = "application/vnd.kubernetes.protobuf";
const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** What a response depends on beside its content. */
export type ResponseScope = Pick<RequestScope, "core" | "request" | "accepted">;

/** A response from encoded JSON. */
export async function bytesResponse(
  scope: ResponseScope,
  status: number,
  bytes: Uint8Array,
): Promise<ApiResponse> {
  scope.request.audit?.takeResponseObject(bytes);
  return writtenResponse(scope, status, bytes);
}

/** A response from encoded JSON, which audit events leave out. */
export function writtenResponse(
  scope: ResponseScope,
  status: number,
  bytes: Uint8Array,
): ApiResponse {
  const { request, accepted } = scope;
  if (accepted.mediaType === "application/json" && !isPretty(scope))
    return { status, headers: headersOf(request, jsonHeaders), body: endLine(bytes) };
  const [mediaType, body] = encodeAs(scope, bytes);
  return { status, headers: headersOf(request, { "content-type": mediaType }), body };
}

/** {@link bytesResponse} from parts, which are joined only where another form needs them. */
export async function partsResponse(
  scope: ResponseScope,
  status: number,
  parts: BodyParts,
): Promise<ApiResponse> {
  const { accepted, request } = scope;
  if (
    request.audit?.wantsResponseObject ||
    accepted.mediaType !== "application/json" ||
    isPretty(scope)
  )
    return await bytesResponse(scope, status, parts.join());
  return encodedResponse(scope, status, "application/json", parts);
}

/** A response that is encoded already. A short body is one write. */
export const encodedResponse = (
  { request }: ResponseScope,
  status: number,
  mediaType: string,
  body: Uint8Array | BodyParts,
): ApiResponse => ({
  status,
  headers: headersOf(request, { "content-type": mediaType }),
  body: body instanceof BodyParts && body.length <= slabBytes ? body.join() : body,
});

/** A response from an object. */
export async function objectResponse(
  scope: ResponseScope,
  status: number,
  object: JsonObject,
): Promise<ApiResponse> {
  if (object.kind === "Status") scope.request.audit?.takeStatus(object as unknown as Status);
  return await bytesResponse(scope, status, encoder.encode(encodeObjectText(object)));
}

/** The media type and the body; JSON where protobuf has no message for the object. */
function encodeAs(
  scope: ResponseScope,
  bytes: Uint8Array,
): readonly [mediaType: string, body: Uint8Array] {
  const { mediaType } = scope.accepted;
  if (mediaType === "application/yaml")
    return [mediaType, encoder.encode(formatYaml(parseStored(bytes)))];
  if (mediaType === protobufType) {
    const body = scope.core.protobuf?.encode?.(parseStored(bytes));
    return body ? [mediaType, body] : ["application/json", bytes];
  }
  if (!isPretty(scope)) return [mediaType, endLine(bytes)];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return [mediaType, encoder.encode(indentJson(text))];
}

const isPretty = ({ request, accepted }: ResponseScope): boolean =>
  accepted.pretty || wantsPretty(request.query, request.api.headers["user-agent"] ?? "");

const newline = 10;

/** Go's encoder ends every document with a line feed; stored bytes have none. */
function endLine(bytes: Uint8Array): Uint8Array {
  if (bytes.at(-1) === newline) return bytes;
  const out = Buffer.allocUnsafe(bytes.length + 1);
  out.set(bytes);
  out[bytes.length] = newline;
  return out;
}

/** Adds the warnings of the request. */
export function headersOf(
  request: ServerRequest,
  headers: Readonly<Record<string, string>>,
): ApiResponse["headers"] {
  const warnings = request.warnings.headers();
  return warnings.length ? { ...headers, warning: warnings } : headers;
}
