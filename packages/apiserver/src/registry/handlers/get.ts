// GET of one object: the stored bytes, unconverted if possible.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/get.go, pkg/registry/generic/registry/store.go
// (Get).
import type { ApiResponse } from "../../apimachinery/handler.ts";
import type { Revision } from "../../storage/store.ts";
import { badRequestError, notFoundError } from "../../apimachinery/errors/api-errors.ts";
import { resultResponse, scaleResponse } from "../response/object-response.ts";
import type { RequestScope } from "../scope/request-scope.ts";
import { requestedKey } from "../revisions/storage-key.ts";
import {
  assertReached,
  listResourceVersionOf,
  resourceVersionOf,
} from "../read/resource-version.ts";

/** Answers the object, or its Scale. */
export async function getObject(scope: RequestScope): Promise<ApiResponse> {
  const { core, request, resource, subresource } = scope;
  assertNoExport(scope);
  const text = request.query.text("resourceVersion");
  const wanted =
    resource.watchCache === "none" ? listResourceVersionOf(text) : resourceVersionOf(text);
  if (wanted > core.store.revision()) await assertReached(core, resource, wanted);
  const revision = await converted(scope, findRevision(scope), text);
  if (subresource?.endpoint.at === "scale")
    return await scaleResponse(
      scope,
      subresource.endpoint.scale.toScale(core.representations.object(resource, revision)),
    );
  return await resultResponse(scope, 200, { revision });
}

/** As upstream, a read that names a revision is answered from what was converted before. */
async function converted(
  { core: { conversions }, resource }: RequestScope,
  revision: Revision,
  resourceVersion: string,
): Promise<Revision> {
  if (!conversions.needed(resource, revision)) return revision;
  return resourceVersion
    ? await conversions.cached(resource, revision)
    : await conversions.fresh(resource, revision);
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
