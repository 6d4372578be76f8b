// Each action and the file that does it.
import type { ApiResponse } from "../apimachinery/handler.ts";
import { methodNotAllowedError } from "../apimachinery/errors/api-errors.ts";
import type { RequestScope } from "./scope/request-scope.ts";
import { answerConnected, connect } from "./handlers/connect.ts";
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

/** Does what the call asks for. */
export async function dispatch(call: RequestScope): Promise<ApiResponse> {
  const view = call.subresource?.view;
  if (view?.at === "connect") return await connect(call, view);
  if (view?.at === "proxy")
    return await answerConnected(call, await view.handle(call.name, createConnectTools(call)));
  const observed = call.resource.observed?.();
  switch (call.action) {
    case "get":
      return observed ? await getObserved(call, observed) : await getObject(call);
    case "list":
      return observed ? await listObserved(call, observed) : await listObjects(call);
    case "watch":
      return await watchObjects(call);
    case "create":
      return await createObject(call);
    case "update":
      return view?.at === "scale"
        ? await replaceScale(call, view.scale)
        : await replaceObject(call);
    case "patch":
      return view?.at === "scale" ? await patchScale(call, view.scale) : await patchObject(call);
    case "delete":
      return await deleteObject(call);
    case "deletecollection":
      return await deleteCollection(call);
    default:
      throw methodNotAllowedError(call.resource, call.action);
  }
}
