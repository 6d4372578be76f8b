// The event that a change is to a watcher with a selection: an object enters it, changes, or leaves
// it. Pure.
// Upstream: k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go (convertToWatchEvent).
import type { Revision } from "../../storage/store.ts";
import type { Selection } from "./selection.ts";

export type WatchEventType = "ADDED" | "MODIFIED" | "DELETED";

/**
 * An event; `departed` if the object still exists outside the selection, and the event shows its
 * state before.
 */
export interface SelectedEvent {
  readonly type: WatchEventType;
  readonly departed: boolean;
}

const asIs: Readonly<Record<WatchEventType, SelectedEvent>> = {
  ADDED: { type: "ADDED", departed: false },
  MODIFIED: { type: "MODIFIED", departed: false },
  DELETED: { type: "DELETED", departed: false },
};
const departure: SelectedEvent = { type: "DELETED", departed: true };

/** The event that `change` is to this selection, or undefined if it does not concern it. */
export function selectEvent(selection: Selection, change: Revision): SelectedEvent | undefined {
  if (selection.everything) return asIs[change.type];
  const matches = selection.matches(change);
  if (change.type !== "MODIFIED") return matches ? asIs[change.type] : undefined;
  const matched = change.previous !== undefined && selection.matches(change.previous);
  if (matches) return matched ? asIs.MODIFIED : asIs.ADDED;
  return matched ? departure : undefined;
}
