// The response to a read or a write of one object, in the negotiated form.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go (transformResponseObject).
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { Revision } from "../../storage/store.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { notAcceptableError } from "../negotiation/accept.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import { encodeObjectBytes } from "../revisions/stored-json.ts";
import { partialMetadata } from "../revisions/representations.ts";
import { bytesResponse, encodedResponse, objectResponse, protobufType } from "./encode-response.ts";
import { encodeTable, makeTable, readIncludeObject, tableMetadata } from "./table.ts";

/** One object of this request's resource: as stored, or as a dry run would have stored it. */
export type Result = { readonly revision: Revision } | { readonly object: JsonObject };

/** The response with an object of the resource itself. */
export async function resultResponse(
  scope: RequestScope,
  status: number,
  given: Result,
): Promise<ApiResponse> {
  const { core, accepted, resource } = scope;
  const result = await converted(scope, given);
  const { transform } = accepted;
  const message =
    transform || scope.request.audit?.wantsResponseObject
      ? undefined
      : sealedMessage(scope, result);
  if (message) return encodedResponse(scope, status, protobufType, message);
  if (!transform)
    return await bytesResponse(
      scope,
      status,
      "revision" in result
        ? core.representations.bytes(resource, result.revision)
        : encodeObjectBytes(result.object, resource.codec.encode),
    );
  if (transform.kind === "PartialObjectMetadata" && "revision" in result)
    return await bytesResponse(
      scope,
      status,
      core.representations.metadata(resource, result.revision, transform.version),
    );
  return await transformedResponse(
    scope,
    status,
    "revision" in result ? core.representations.object(resource, result.revision) : result.object,
  );
}

/** What a webhook has to convert, converted anew. */
export async function converted(
  { core: { conversions }, resource }: RequestScope,
  result: Result,
): Promise<Result> {
  if (!("revision" in result) || !conversions.needed(resource, result.revision)) return result;
  return { revision: await conversions.fresh(resource, result.revision) };
}

/** A stored object in protobuf; undefined where another form was asked for. */
function sealedMessage(
  { core: { protobuf, representations }, accepted, resource }: RequestScope,
  result: Result,
): Uint8Array | undefined {
  if (accepted.mediaType !== protobufType || !protobuf?.seal || !("revision" in result))
    return undefined;
  const raw = representations.message(resource, result.revision, protobuf);
  return raw && protobuf.seal({ apiVersion: formatApiVersion(resource), kind: resource.kind }, raw);
}

/** The response with a Scale, which may have a printer of its own. */
export async function scaleResponse(scope: RequestScope, scale: JsonObject): Promise<ApiResponse> {
  const endpoint = scope.subresource?.endpoint;
  const printer = endpoint?.at === "scale" ? endpoint.table : undefined;
  return await transformedResponse(scope, 200, scale, printer);
}

/** The response with an object of any kind: a Scale, a review, the result of a subresource. */
export async function transformedResponse(
  scope: RequestScope,
  status: number,
  object: JsonObject,
  printer?: TablePrinter,
): Promise<ApiResponse> {
  const { request, accepted, resource } = scope;
  const { transform } = accepted;
  if (!transform && isOf(resource, object))
    return await bytesResponse(scope, status, encodeObjectBytes(object, resource.codec.encode));
  if (!transform || object.kind === "Status") return await objectResponse(scope, status, object);
  if (transform.kind === "PartialObjectMetadata")
    return await objectResponse(
      scope,
      status,
      partialMetadata(resource, object, transform.version),
    );
  if (transform.kind === "PartialObjectMetadataList") throw notAListError(scope, object);
  const named = { ...object, apiVersion: object.apiVersion ?? formatApiVersion(resource) };
  const table = makeTable(resource, [named], {
    printer,
    metadata: tableMetadata(object),
    includeObject: readIncludeObject(request.query),
    metaVersion: transform.version,
    nowMs: request.nowMs,
  });
  const bytes = encodeObjectBytes(table, (made) => encodeTable(resource, made));
  return await bytesResponse(scope, status, bytes);
}

/** Whether the object is of the resource's own kind. */
const isOf = (resource: ServedResource, { kind, apiVersion }: JsonObject): boolean =>
  kind === resource.kind && apiVersion === formatApiVersion(resource);

function notAListError({ resource }: RequestScope, object: JsonObject): Error {
  return resource.codec.goType === "unstructured" && object.kind === resource.kind
    ? plainError("content is not a list")
    : notAcceptableError(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeName(resource, resource.kind)})`,
      );
}

/**
 * The Go type of an object in upstream, which two messages name: `*rbac.RoleList`,
 * `*core.ConfigMap`, `*unstructured.Unstructured`.
 */
export function goTypeName({ group, codec }: ServedResource, kind: string): string {
  if (codec.goType === "unstructured")
    return kind.endsWith("List") ? "*unstructured.UnstructuredList" : "*unstructured.Unstructured";
  const isCore = group === "" || group === "events.k8s.io";
  return `*${isCore ? "core" : group.split(".", 1)[0]!}.${kind}`;
}
