// GET of one object: the stored bytes, unconverted if possible.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go, pkg/registry/generic/registry/store.go
// (Get).
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { Revision } from "../../storage/store.ts";
import { badRequestError, notFoundError } from "../../apimachinery/errors/api-errors.ts";
import { resultResponse, scaleResponse } from "../response/object-response.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { requestedKey } from "../revisions/storage-key.ts";
import { resourceVersionOf, waitForRevision } from "../read/resource-version.ts";

/** Answers the object, or its Scale. */
export async function getObject(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, subresource } = scope;
  assertNoExport(scope);
  const wanted = resourceVersionOf(request.query.text("resourceVersion"));
  if (wanted > core.store.revision()) await waitForRevision(core, wanted);
  const revision = findRevision(scope);
  if (subresource?.endpoint.at === "scale")
    return await scaleResponse(
      scope,
      subresource.endpoint.scale.toScale(core.representations.object(resource, revision)),
    );
  return await resultResponse(scope, 200, { revision });
}

/** The newest state of the named object; throws 404. */
export function findRevision({ core, resource, namespace, name }: RequestScope): Revision {
  const revision = core.store.latest(requestedKey(resource, namespace, name));
  if (!revision) throw notFoundError(resource, name);
  return revision;
}

function assertNoExport({ request }: RequestScope): void {
  if (request.query.flag("export"))
    throw badRequestError("the export parameter, deprecated since v1.14, is no longer supported");
}
