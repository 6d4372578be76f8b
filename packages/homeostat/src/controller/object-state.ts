// The state of each object with its controller, for people: done, waiting, retrying or stalled, and
// why. In memory only; lasting state belongs into the objects.
import type { Loop } from "./loop/history.ts";
import type { Rival } from "./loop/rival.ts";

/** The progress of an object with its controller. */
export type Progress =
  | { readonly at: "running"; readonly step?: string }
  | { readonly at: "done" }
  | { readonly at: "waiting"; readonly what: string }
  | {
      readonly at: "retrying";
      readonly because: string;
      /** What to do, if the error has a hint. */ readonly hint?: string;
      /** Wall time in ms. */ readonly nextAt: number;
      readonly failures: number;
      /** What was thrown. Not enumerable: states are printed and compared as data. */
      readonly error?: unknown;
    }
  | {
      readonly at: "stalled";
      readonly because: string;
      readonly hint?: string;
      /** As of `retrying`. */ readonly error?: unknown;
    };

/** One object's state under one controller. */
export interface ObjectState {
  /** Absent with a manager of one client. */
  readonly cluster?: string;
  readonly controller: string;
  readonly kind: string;
  /** `namespace/name` or `name`. */
  readonly key: string;
  readonly progress: Progress;
  /** Wall time in ms at which this progress began. */
  readonly since: number;
  /** Set while the object is in a loop: what is written each time; empty for prompt retries. */
  readonly loop?: readonly string[];
  /** Who changes back each time what is written, and which fields, where that is known. */
  readonly undoneBy?: Pick<Rival, "managers" | "fields">;
}

/** The states of one controller's objects, without deleted objects. */
export interface ObjectStates {
  set(key: string, progress: Progress): void;
  get(key: string): ObjectState | undefined;
  delete(key: string): void;
  all(): readonly ObjectState[];
}

/** Creates an empty table. `changed` is called after each change; its errors go to `failed`. */
export function createObjectStates(options: {
  readonly cluster?: string | undefined;
  readonly controller: string;
  readonly kind: string;
  readonly now: () => number;
  /** The loop that an object is in. */
  readonly loopOf?: (key: string) => Pick<Loop, "wrote" | "rival"> | undefined;
  readonly changed?: (state: ObjectState) => void;
  readonly failed?: (error: unknown) => void;
}): ObjectStates {
  const states = new Map<string, ObjectState>();
  return {
    set(key, progress) {
      const loop = options.loopOf?.(key);
      const state = {
        ...(options.cluster === undefined ? {} : { cluster: options.cluster }),
        controller: options.controller,
        kind: options.kind,
        key,
        progress,
        since: options.now(),
        ...(loop ? { loop: loop.wrote } : {}),
        ...(loop?.rival ? { undoneBy: loop.rival } : {}),
      };
      states.set(key, state);
      try {
        const result: unknown = options.changed?.(state);
        if (result instanceof Promise) result.catch((error: unknown) => options.failed?.(error));
      } catch (error) {
        options.failed?.(error);
      }
    },
    get: (key) => states.get(key),
    delete: (key) => void states.delete(key),
    all: () => [...states.values()],
  };
}
