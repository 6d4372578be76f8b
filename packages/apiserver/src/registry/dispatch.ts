// The handler of each action.
import type { ApiResponse } from "../apimachinery/handler.ts";
import { methodNotAllowedError } from "../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "./scope/request-scope.ts";
import { connectedResponse, connect } from "./handlers/connect.ts";
import { admitConnection } from "./handlers/admit-connection.ts";
import { createConnectTools } from "./handlers/connect-tools.ts";
import { createObject } from "./handlers/create.ts";
import { deleteObject } from "./handlers/delete.ts";
import { deleteCollection } from "./handlers/delete-collection.ts";
import { patchObject } from "./handlers/patch.ts";
import { getObject } from "./handlers/get.ts";
import { listObjects } from "./handlers/list.ts";
import { getObserved, listObserved } from "./handlers/list-observed.ts";
import { patchScale, replaceScale } from "./handlers/scale.ts";
import { replaceObject } from "./handlers/update.ts";
import { watchObjects } from "./handlers/watch.ts";

/** Dispatches a routed request to its handler. */
export async function dispatch(scope: RequestScope): Promise<ApiResponse> {
  const endpoint = scope.subresource?.endpoint;
  if (endpoint?.at === "connect") return await connect(scope, endpoint);
  if (endpoint?.at === "proxy") {
    await admitConnection(scope, endpoint);
    const answer = await endpoint.handle(scope.name, createConnectTools(scope));
    return await connectedResponse(scope, answer);
  }
  const observed = scope.resource.observed?.();
  switch (scope.action) {
    case "get":
      return observed ? await getObserved(scope, observed) : await getObject(scope);
    case "list":
      return observed ? await listObserved(scope, observed) : await listObjects(scope);
    case "watch":
      return await watchObjects(scope);
    case "create":
      return await createObject(scope);
    case "update":
      return endpoint?.at === "scale"
        ? await replaceScale(scope, endpoint)
        : await replaceObject(scope);
    case "patch":
      return endpoint?.at === "scale"
        ? await patchScale(scope, endpoint)
        : await patchObject(scope);
    case "delete":
      return await deleteObject(scope);
    case "deletecollection":
      return await deleteCollection(scope);
    default:
      throw methodNotAllowedError(scope.resource, scope.action);
  }
}
