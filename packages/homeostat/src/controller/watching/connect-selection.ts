// Maps changes of selected objects to the keys of the sources that select them.
import type { KubeObject } from "../../api/object-meta.ts";
import type { CachedObject, HandlerCause, Informer } from "../../cache/informer.ts";
import { type When, whenCounts } from "../when-counts.ts";
import type { DeclaredSelection } from "./declared-selections.ts";
import { SelectionMap } from "./selection-map.ts";

/** A change of a selected object. */
export interface SelectedChange {
  /** Key of the source. */
  readonly source: string;
  readonly object: CachedObject;
  /** E.g. `Part a/b changed`. */
  readonly what: string;
  readonly cause: HandlerCause;
}

/** What a connection needs. */
export interface SelectionDependencies {
  readonly primary: Informer;
  readonly informer: Informer;
  readonly when: When;
  enqueue(change: SelectedChange): void;
  /** Receives updates that `when` drops. */
  ignore(change: SelectedChange): void;
}

/** Connects the informers of sources and targets to the queue, until `remove()`. */
export function connectSelection(
  declared: DeclaredSelection,
  dependencies: SelectionDependencies,
): { remove(): void } {
  const map = new SelectionMap();
  const connections = [
    dependencies.primary.addHandler({
      added: (source) => put(map, declared, source),
      updated: (_, source) => put(map, declared, source),
      deleted: ({ key }) => map.delete(key),
    }),
    connectTarget(map, declared, dependencies),
  ];
  return { remove: () => connections.forEach((connection) => connection.remove()) };
}

/**
 * A source whose functions throw selects nothing; its reconcile reports the error. Nor does one
 * that does not match its definition.
 */
function put(map: SelectionMap, { selectionsOf }: DeclaredSelection, source: CachedObject): void {
  try {
    const object = source.read() as KubeObject;
    map.set(source.key, source.mismatch ? [] : selectionsOf(object));
  } catch {
    map.delete(source.key);
  }
}

/** Sends the changes of targets to the sources of a map. */
export function connectTarget(
  map: SelectionMap,
  { target }: Pick<DeclaredSelection, "target">,
  { informer, when, enqueue, ignore }: Omit<SelectionDependencies, "primary">,
): { remove(): void } {
  const send = (
    old: CachedObject | undefined,
    object: CachedObject | undefined,
    cause: HandlerCause,
  ): void => {
    const latest = (object ?? old)!;
    for (const { sources, before, after } of map.matches(old, object)) {
      const isUpdate = before && after;
      const isDropped = isUpdate && !whenCounts(when, { old: old!, object: object!, cause });
      const sink = isDropped ? ignore : enqueue;
      const what = `${target.kind} ${latest.key} ${describeChange(old, object, before, after)}`;
      for (const source of sources) sink({ source, object: latest, what, cause });
    }
  };
  return informer.addHandler({
    added: (object, cause) => send(undefined, object, cause),
    updated: (old, object, cause) => send(old, object, cause),
    deleted: (object, cause) => send(object, undefined, cause),
  });
}

function describeChange(
  old: CachedObject | undefined,
  object: CachedObject | undefined,
  before: boolean,
  after: boolean,
): string {
  if (!old) return "added";
  if (!object) return "deleted";
  if (before && after) return "changed";
  return after ? "begins to match" : "ceases to match";
}
