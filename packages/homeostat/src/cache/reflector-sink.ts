// What a reflector delivers, to the informer that holds the objects.
import type { ObjectChange } from "../api/transport.ts";
import type { Freshness } from "./informer.ts";

/** An object as it arrives: its bytes, in a buffer that is not kept, or what stands for them. */
export type ObjectSource = Uint8Array | ObjectChange;

/** Receives objects and progress. */
export interface ReflectorSink {
  /** A list starts; drops the objects gathered so far. */
  gather(): void;
  /** An object of the list; returns whether it is new. */
  gathered(object: ObjectSource): boolean;
  /** An object of the list was deleted while it was streamed. */
  ungathered(object: ObjectSource): void;
  /** The list is complete at this revision, and replaces all objects. */
  replace(resourceVersion: string, restored: { readonly isRestored: boolean }): void;
  /** The server sends what cannot be read. */
  complained(message: string): void;
  /** The server no longer serves the kind: all objects are gone. */
  forget(): void;
  /** A watch event; returns the object's resourceVersion, undefined without one. */
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: ObjectSource): string | undefined;
  /** All changes up to this revision have been delivered. */
  progress(resourceVersion: string): void;
  /** Readiness, phase or reason may have changed. */
  freshnessChanged(freshness: Freshness): void;
}
