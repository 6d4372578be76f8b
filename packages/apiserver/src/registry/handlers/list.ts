// GET of a collection: a head, the stored bytes of the items, and a tail.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (ListResource), response.go.
import { encodeJson, formatApiVersion, type Json, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { bytesResponse, objectResponse } from "../response/encode-response.ts";
import { goTypeName } from "../response/object-response.ts";
import { makeTable, readIncludeObject } from "../response/table.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import type { VersionCodec } from "../../apimachinery/rest/version-codec.ts";
import { notAcceptableError } from "../negotiation/accept.ts";
import { readListOptions } from "../options/list-options.ts";
import { type ListPage, readPage } from "../read/list-page.ts";
import { selectionOf } from "../revisions/selection.ts";

/** Answers a list. */
export async function listObjects(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, namespace } = scope;
  const options = readListOptions(request.query, resource, "");
  const page = await readPage(
    { core, resource },
    selectionOf(resource, namespace, options.labels, options.fields),
    options,
  );
  return await listResponse(scope, page);
}

/** The response with a page in the negotiated form. */
export async function listResponse(scope: RequestScope, page: ListPage): Promise<ApiResponse> {
  const { resource, accepted } = scope;
  if (accepted.transform?.kind === "Table")
    return await objectResponse(scope, 200, tableOf(scope, page, accepted.transform.version));
  if (accepted.transform?.kind === "PartialObjectMetadata")
    throw notAcceptableError(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeName(resource, resource.listKind)})`,
    );
  const list = accepted.transform
    ? metadataList(scope, page, accepted.transform.version)
    : objectList(scope, page);
  return await bytesResponse(scope, 200, list);
}

function tableOf(scope: RequestScope, page: ListPage, metaVersion: string): JsonObject {
  const { core, request, resource } = scope;
  const includeObject = readIncludeObject(request.query);
  const objects = page.items.map((revision) => core.representations.object(resource, revision));
  return makeTable(resource, objects, {
    metadata: listMetadata(scope, page),
    includeObject,
    metaVersion,
    nowMs: request.nowMs,
  });
}

function metadataList(scope: RequestScope, page: ListPage, metaVersion: string): Uint8Array {
  const { core, resource } = scope;
  const items = page.items.map((revision) =>
    core.representations.metadata(resource, revision, metaVersion),
  );
  const head = {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: listMetadata(scope, page),
  };
  return joinList(head, items.length ? items : null, "");
}

function objectList(scope: RequestScope, page: ListPage): Uint8Array {
  const { core, resource } = scope;
  const items = page.items.map((revision) => core.representations.item(resource, revision));
  const head = {
    kind: resource.listKind,
    apiVersion: formatApiVersion(resource),
    metadata: listMetadata(scope, page),
  };
  return joinList(head, items, "{", resource.codec.goType);
}

/** In the order of Go's ListMeta, or of a map, which also has an empty `continue`. */
function listMetadata({ resource, accepted }: RequestScope, page: ListPage): JsonObject {
  const isMap = resource.codec.goType === "unstructured";
  const version = { resourceVersion: String(page.revision) };
  const more = {
    ...(page.continue || (isMap && !accepted.transform) ? { continue: page.continue } : {}),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
  return isMap ? { ...more, ...version } : { ...version, ...more };
}

/**
 * Encodes a list in one allocation; `open` is put in front of every item. Unstructured lists have
 * their members in the order of a map's keys.
 */
export function joinList(
  head: { readonly kind: string; readonly apiVersion: string; readonly metadata: Json },
  items: readonly Uint8Array[] | null,
  open: string,
  goType: VersionCodec["goType"] = "struct",
): Uint8Array {
  const kind = `"kind":${encodeJson(head.kind)}`;
  const apiVersion = `"apiVersion":${encodeJson(head.apiVersion)}`;
  const rest = `${kind},"metadata":${JSON.stringify(head.metadata)}`;
  const start = `{${goType === "struct" ? `${kind},${apiVersion},"metadata":${JSON.stringify(head.metadata)}` : apiVersion},"items":${items ? "[" : "null"}`;
  const end = `${items ? "]" : ""}${goType === "struct" ? "" : `,${rest}`}}\n`;
  const length =
    Buffer.byteLength(start) +
    (items ?? []).reduce((sum, item) => sum + item.length + open.length + 1, 0) +
    Buffer.byteLength(end);
  const out = Buffer.allocUnsafe(length);
  let at = out.write(start);
  for (let i = 0; i < (items?.length ?? 0); i++) {
    if (i || open) at += out.write(i ? `,${open}` : open, at, "latin1");
    const item = items![i]!;
    out.set(item, at);
    at += item.length;
  }
  at += out.write(end, at);
  return out.subarray(0, at);
}
