// The answer to a read or a write of one object, in the form that was agreed on.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/response.go (transformResponseObject).
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { Revision } from "../../storage/store.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { plainError } from "../../apimachinery/errors/api-errors.ts";
import { notAcceptableError } from "../negotiation/accept.ts";
import type { TablePrinter } from "../../apimachinery/rest/table-printer.ts";
import { encodeObjectBytes } from "../revisions/stored-json.ts";
import { partialMetadata } from "../revisions/representations.ts";
import { bytesResponse, objectResponse } from "./encode-response.ts";
import { goTypeName } from "./go-type-name.ts";
import { makeTable, readIncludeObject, tableMetadata } from "./table.ts";

/** One object of this request's resource: as stored, or as a dry run would have stored it. */
export type Result = { readonly revision: Revision } | { readonly object: JsonObject };

/** Answers one object of the resource itself. */
export async function resultResponse(
  scope: RequestScope,
  status: number,
  result: Result,
): Promise<ApiResponse> {
  const { core, request, accepted, resource } = scope;
  const { transform } = accepted;
  if (!transform)
    return await bytesResponse(
      core,
      request,
      accepted,
      status,
      "revision" in result
        ? core.representations.bytes(resource, result.revision)
        : encodeObjectBytes(result.object, resource.codec.encode),
    );
  if (transform.kind === "PartialObjectMetadata" && "revision" in result)
    return await bytesResponse(
      core,
      request,
      accepted,
      status,
      core.representations.metadata(resource, result.revision, transform.version),
    );
  return await transformedResponse(
    scope,
    status,
    "revision" in result ? core.representations.object(resource, result.revision) : result.object,
  );
}

/** Answers a Scale; it has columns of its own. */
export async function scaleResponse(scope: RequestScope, scale: JsonObject): Promise<ApiResponse> {
  const endpoint = scope.subresource?.endpoint;
  return await transformedResponse(
    scope,
    200,
    scale,
    endpoint?.at === "scale" ? endpoint.table : undefined,
  );
}

/** Answers an object of any kind: a Scale, a review, what a subresource makes. */
export async function transformedResponse(
  scope: RequestScope,
  status: number,
  object: JsonObject,
  printer?: TablePrinter,
): Promise<ApiResponse> {
  const { core, request, accepted, resource } = scope;
  const { transform } = accepted;
  if (!transform || object.kind === "Status")
    return await objectResponse(core, request, accepted, status, object);
  if (transform.kind === "PartialObjectMetadata")
    return await objectResponse(
      core,
      request,
      accepted,
      status,
      partialMetadata(object, transform.version),
    );
  if (
    transform.kind === "PartialObjectMetadataList" &&
    resource.codec.goType === "unstructured" &&
    object.kind === resource.kind
  )
    throw plainError("content is not a list");
  if (transform.kind === "PartialObjectMetadataList")
    throw notAcceptableError(
      `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeName(resource, resource.kind)})`,
    );
  const includeObject = readIncludeObject(request.query);
  const named = { ...object, apiVersion: object.apiVersion ?? formatApiVersion(resource) };
  return await objectResponse(
    core,
    request,
    accepted,
    status,
    makeTable(
      printer ?? resource.table,
      resource,
      [named],
      tableMetadata(object),
      { includeObject, metaVersion: transform.version, nowMs: request.nowMs },
      "with columns",
    ),
  );
}
