// DELETE of a collection: every object that matches the selectors, or one page of them if a limit
// is given.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/delete.go,
// pkg/registry/generic/registry/store.go (DeleteCollection).
import { isNotFound } from "homeostat/api";
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { deleteStored, warnOfPropagation } from "./delete.ts";
import { readDeleteOptions } from "../options/delete-options.ts";
import { readListOptions } from "../options/list-options.ts";
import { listResponse } from "./list.ts";
import { readPage } from "../read/list-page.ts";
import { selectionOf } from "../revisions/selection.ts";

/** Deletes the objects and answers the list from before. */
export async function deleteCollection(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, namespace } = scope;
  const listOptions = readListOptions(request.query, resource, "");
  const options = await readDeleteOptions(scope);
  warnOfPropagation(scope, options);
  const page = await readPage(
    { core, resource },
    selectionOf(resource, namespace, listOptions.labels, listOptions.fields),
    listOptions,
  );
  for (const { key } of page.items) {
    try {
      await deleteStored(scope, key, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return await listResponse(scope, page);
}
