// Lists: a head, the stored bytes of the items one behind the other, and a tail.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (ListResource), response.go.
import { encodeJson, formatApiVersion, type Json, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { bytesResponse, objectResponse } from "../response/encode-response.ts";
import { goTypeName } from "../response/go-type-name.ts";
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
    core,
    selectionOf(resource, namespace, options.labels, options.fields),
    options,
  );
  return await listResponse(scope, page);
}

/** Answers a page in the form that was agreed on. */
export async function listResponse(scope: RequestScope, page: ListPage): Promise<ApiResponse> {
  const { core, request, resource, accepted } = scope;
  const { transform } = accepted;
  const metadata = listMetadata(scope, page);
  if (transform?.kind === "Table") {
    const includeObject = readIncludeObject(request.query);
    const objects = page.items.map((revision) => core.representations.object(resource, revision));
    return await objectResponse(
      core,
      request,
      accepted,
      200,
      makeTable(
        resource.table,
        resource,
        objects,
        metadata,
        { includeObject, metaVersion: transform.version, nowMs: request.nowMs },
        "with columns",
      ),
    );
  }
  if (transform?.kind === "PartialObjectMetadata")
    throw notAcceptableError(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeName(resource, resource.listKind)})`,
    );
  if (transform) {
    const items = page.items.length
      ? page.items.map((revision) =>
          core.representations.metadata(resource, revision, transform.version),
        )
      : null;
    return await bytesResponse(
      core,
      request,
      accepted,
      200,
      joinList(
        {
          kind: "PartialObjectMetadataList",
          apiVersion: `meta.k8s.io/${transform.version}`,
          metadata,
        },
        items,
        "",
      ),
    );
  }
  const items = page.items.map((revision) => core.representations.item(resource, revision));
  return await bytesResponse(
    core,
    request,
    accepted,
    200,
    joinList(
      { kind: resource.listKind, apiVersion: formatApiVersion(resource), metadata },
      items,
      "{",
      resource.codec.goType,
    ),
  );
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
