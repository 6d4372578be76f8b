// What a controller reads on purpose although its changes reconcile nothing.
import type { Kind } from "../../api/kind.ts";

/** Declared by `reads`. */
export interface Reads {
  /** Kinds that reconcile reads through `client`: polled, or constant. */
  readonly kinds?: readonly Kind[];
  /** Labels that reconcile reads by name, of any object; `example.com/*` for all of a prefix. */
  readonly labels?: readonly string[];
  /** As `labels`. */
  readonly annotations?: readonly string[];
}
