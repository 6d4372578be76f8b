// What a controller knows about each of its objects, for people: done, waiting for what, retrying when and why, stalled.
// Kept in memory only; the objects themselves carry what must last.

/** Where an object stands with its controller. */
export type Progress =
  | { readonly at: "running"; readonly step?: string }
  | { readonly at: "done" }
  | { readonly at: "waiting"; readonly what: string }
  | { readonly at: "retrying"; readonly because: string; /** Wall time in ms. */ readonly nextAt: number; readonly failures: number }
  | { readonly at: "stalled"; readonly because: string };

/** One object's state under one controller. */
export interface ObjectState {
  readonly controller: string;
  readonly kind: string;
  /** `namespace/name` or `name`. */
  readonly key: string;
  readonly progress: Progress;
  /** Wall time in ms since when this progress holds. */
  readonly since: number;
}

/** The states of one controller's objects; forgotten when an object is gone. */
export interface ObjectStates {
  set(key: string, progress: Progress): void;
  get(key: string): ObjectState | undefined;
  delete(key: string): void;
  all(): readonly ObjectState[];
}

/** Creates an empty table. `changed` is called after each change. */
export function createObjectStates(options: { readonly controller: string; readonly kind: string; readonly now: () => number; readonly changed?: (state: ObjectState) => void }): ObjectStates {
  const states = new Map<string, ObjectState>();
  return {
    set(key, progress) {
      const state = { controller: options.controller, kind: options.kind, key, progress, since: options.now() };
      states.set(key, state);
      options.changed?.(state);
    },
    get: (key) => states.get(key),
    delete: (key) => void states.delete(key),
    all: () => [...states.values()],
  };
}
