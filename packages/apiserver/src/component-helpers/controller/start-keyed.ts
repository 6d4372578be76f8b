// Starts a controller whose class syncs the keys of one queue.
import type { SyncKey } from "homeostat/queue";
import type { ControllerContext, ControllerDescriptor } from "./controller.ts";
import { KeyedController, type KeyedControllerOptions } from "./keyed-controller.ts";

/** What a controller does for the keys of its queue. */
interface KeySyncer {
  sync: SyncKey;
}

/** The start of a controller that `create` connects to its queue. */
export function startKeyed(
  name: string,
  create: (context: ControllerContext, controller: KeyedController) => KeySyncer,
  options?: KeyedControllerOptions,
): ControllerDescriptor["start"] {
  return async (context) => {
    const controller = new KeyedController(context, name, options);
    const syncer = create(context, controller);
    return controller.start((key) => syncer.sync(key));
  };
}
