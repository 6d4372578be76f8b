// Which controllers work in the leader only.
import type { ControllerDefinition } from "../../controller/define-controller.ts";

/** The default, as controller-runtime's NeedLeaderElection. */
export const needsElection = ({ needLeaderElection }: ControllerDefinition): boolean =>
  needLeaderElection !== false;
