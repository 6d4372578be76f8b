// The context that the fake kubelet and stage controllers need beyond other controllers.
import type { ControllerContext } from "../component-helpers/controller/controller.ts";
import type { Stage } from "./stages/stage.ts";

/** The context of controllers that simulate nodes. */
export interface FakeNodesContext extends ControllerContext {
  /** How many nodes to create; undefined creates none. */
  readonly fakeNodes?: number;
  /** User-supplied stages, beside the built-in ones. */
  readonly stages: readonly Stage[];
}
