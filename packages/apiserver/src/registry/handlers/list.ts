// GET of a collection: a head, the stored bytes of the items, and a tail.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go (ListResource), response.go.
import { formatApiVersion, type JsonObject } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { encodedResponse, partsResponse, protobufType } from "../response/encode-response.ts";
import { goTypeName } from "../response/object-response.ts";
import { makeTable, readIncludeObject, type TableOptions } from "../response/table.ts";
import { BodyParts } from "../../apimachinery/body-parts.ts";
import type { Revision } from "../../storage/store.ts";
import { encodeObjectText } from "../revisions/stored-json.ts";
import { AgeTexts } from "../revisions/table-rows.ts";
import { addItems, joinList } from "../response/join-list.ts";
import type { RequestScope } from "../scope/request-scope.ts";
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
    return await partsResponse(scope, 200, tableOf(scope, page, accepted.transform.version));
  if (accepted.transform?.kind === "PartialObjectMetadata")
    throw notAcceptableError(
      `you requested PartialObjectMetadata, but the requested object is a list (${goTypeName(resource, resource.listKind)})`,
    );
  const messages =
    accepted.transform || scope.request.audit?.wantsResponseObject
      ? undefined
      : protobufList(scope, page);
  if (messages) return encodedResponse(scope, 200, protobufType, messages);
  const list = accepted.transform
    ? metadataList(scope, page, accepted.transform.version)
    : objectList(scope, page);
  return await partsResponse(scope, 200, list);
}

/** A Table without rows, with those of the page put in. */
function tableOf(scope: RequestScope, page: ListPage, metaVersion: string): BodyParts {
  const { core, request, resource } = scope;
  const includeObject = readIncludeObject(request.query);
  const options = { includeObject, metaVersion, nowMs: request.nowMs };
  const empty = encodeObjectText(
    makeTable(resource, [], { ...options, metadata: listMetadata(scope, page) }),
  );
  const parts = new BodyParts();
  if (page.items.length === 0) {
    parts.text(`${empty}\n`);
    return parts;
  }
  parts.text(`${empty.slice(0, empty.lastIndexOf('"rows":'))}"rows":[`);
  const ages = new AgeTexts(request.nowMs);
  addItems(parts, page.items, (revision) => {
    core.tableRows.addRow(parts, resource, revision, ages);
    addRowObject(scope, parts, revision, options);
    parts.add(closing);
  });
  parts.text("]}\n");
  return parts;
}

const noObject = Buffer.from("null");
const closing = Buffer.from("}");

function addRowObject(
  { core: { representations }, resource }: RequestScope,
  parts: BodyParts,
  revision: Revision,
  { includeObject, metaVersion }: Pick<TableOptions, "includeObject" | "metaVersion">,
): void {
  if (includeObject === "None") parts.add(noObject);
  else if (includeObject === "Object") parts.add(representations.bytes(resource, revision));
  else representations.addMetadata(parts, resource, revision, metaVersion);
}

/** A list in protobuf of kept messages; undefined where another form was asked for. */
function protobufList(scope: RequestScope, page: ListPage): BodyParts | undefined {
  const { core, resource, accepted } = scope;
  const codec = core.protobuf;
  if (accepted.mediaType !== protobufType || !codec?.encodeList) return undefined;
  const items: Uint8Array[] = [];
  for (const revision of page.items) {
    const message = core.representations.message(resource, revision, codec);
    if (!message) return undefined;
    items.push(message);
  }
  const apiVersion = formatApiVersion(resource);
  const head = { kind: resource.listKind, apiVersion, metadata: listMetadata(scope, page) };
  return codec.encodeList(head, items);
}

function metadataList(scope: RequestScope, page: ListPage, metaVersion: string): BodyParts {
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

function objectList(scope: RequestScope, page: ListPage): BodyParts {
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
