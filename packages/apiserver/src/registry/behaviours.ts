// Each action and the file that does it.
import type { ApiResponse } from "../http/handler.ts";
import { methodNotAllowedError } from "./api-errors.ts";
import type { Call } from "./call.ts";
import { answerConnected, connect } from "./connect.ts";
import { createConnectTools } from "./connect-tools.ts";
import { createObject } from "./create.ts";
import { deleteObject } from "./delete.ts";
import { deleteCollection } from "./delete-collection.ts";
import { patchObject } from "./patch.ts";
import { getObject } from "./read/get.ts";
import { listObjects } from "./read/list.ts";
import { getObserved, listObserved } from "./read/observed.ts";
import { patchScale, replaceScale } from "./scale.ts";
import { replaceObject } from "./update.ts";
import { watchObjects } from "./watch/watch.ts";

/** Does what the call asks for. */
export async function act(call: Call): Promise<ApiResponse> {
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
