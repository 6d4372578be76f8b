// What a controller reads on purpose although its changes reconcile nothing.
import type { Kind } from "../../api/kind.ts";

/** Declared by `reads`. */
export interface Reads {
  /** Kinds that reconcile reads through `client`: polled, or constant. */
  readonly kinds?: readonly Kind[];
}
