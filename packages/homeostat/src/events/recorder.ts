// Tells people what a controller did to an object, as events.k8s.io/v1 Events; repeats become a
// series.
import type { KubeObject } from "../api/object-meta.ts";

/**
 * One thing worth telling. `reason` is CamelCase and short; `action` says what was done; `note` is
 * for people.
 */
export interface EventNote {
  readonly regarding: Pick<KubeObject, "apiVersion" | "kind" | "metadata">;
  readonly related?: Pick<KubeObject, "apiVersion" | "kind" | "metadata">;
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly action: string;
  readonly note: string;
}

/** Never throws, never blocks: what cannot be told in time is dropped and counted. */
export interface EventRecorder {
  record(note: EventNote): void;
  stats(): { readonly sent: number; readonly dropped: number; readonly failed: number };
  /** Sends what is pending, then stops. */
  close(): Promise<void>;
}
