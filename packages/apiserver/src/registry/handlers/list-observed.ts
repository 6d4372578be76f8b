// Reads of resources that are observed and not stored: no versions, no watches, selectors on names
// only.
// Upstream: k8s.io/kubernetes/pkg/registry/core/componentstatus/rest.go.
import {
  encodeJson,
  formatApiVersion,
  type JsonObject,
  matchesFields,
  matchesLabels,
} from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import { resultResponse } from "../response/object-response.ts";
import { objectResponse, partsResponse } from "../response/encode-response.ts";
import { makeTable, readIncludeObject } from "../response/table.ts";
import { methodNotAllowedError, notFoundError } from "../../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { metaString } from "../../apimachinery/meta/read-meta.ts";
import { joinList } from "../response/join-list.ts";
import { readListOptions } from "../options/list-options.ts";

/** Answers a get. */
export async function getObserved(
  scope: RequestScope,
  objects: readonly JsonObject[],
): Promise<ApiResponse> {
  const { resource, name } = scope;
  const found = objects.find((object) => metaString(object, "name") === name);
  // Upstream's error names the singular.
  if (!found) throw notFoundError({ group: resource.group, resource: resource.singular }, name);
  return await resultResponse(scope, 200, {
    object: { kind: resource.kind, apiVersion: formatApiVersion(resource), ...found },
  });
}

/** Answers a list. Observed objects have no labels. */
export async function listObserved(
  scope: RequestScope,
  objects: readonly JsonObject[],
): Promise<ApiResponse> {
  const { request, resource, accepted } = scope;
  const { labels, fields } = readListOptions(request.query, resource, "");
  if (request.query.flag("watch")) throw methodNotAllowedError(resource, "watch");
  const items = objects.filter(
    (object) =>
      matchesLabels(labels, {}) &&
      matchesFields(fields, (field) =>
        field === "metadata.name" ? metaString(object, "name") : "",
      ),
  );
  if (accepted.transform?.kind === "Table") {
    const table = makeTable(resource, items, {
      metadata: {},
      includeObject: readIncludeObject(request.query),
      metaVersion: accepted.transform.version,
      nowMs: request.nowMs,
    });
    return await objectResponse(scope, 200, table);
  }
  const encode = resource.codec.encode ?? encodeJson;
  const head = { kind: resource.listKind, apiVersion: formatApiVersion(resource), metadata: {} };
  const encoded = items.map((item) => Buffer.from(encode(item)));
  return await partsResponse(scope, 200, joinList(head, encoded, ""));
}
