// The dynamic watches of a runner: their changes go to its queue, and each run ends with its own.
import { parseObjectKey } from "../api/object-meta.ts";
import { objectId } from "./echo/run-record.ts";
import type { LoopDetector } from "./loop/loop-detector.ts";
import type { ReconcileDependencies } from "./reconcile-dependencies.ts";
import { type Reconciled, reconcileObject } from "./reconcile.ts";
import type { RunScope } from "./run/run-scope.ts";
import type { RunnerOptions } from "./run/runner-state.ts";
import { addFor } from "./sources.ts";
import type { WarnOnce } from "./warn-once.ts";
import { DynamicWatches } from "./watching/dynamic-watches.ts";

/** Opens what a runner watches beside its sources. */
export function openDynamicWatches(
  { definition, lease, queue }: RunnerOptions,
  loops: LoopDetector,
  warnings: WarnOnce,
): DynamicWatches {
  return new DynamicWatches({
    controller: definition.name,
    warnings,
    lease,
    enqueue(kind, { source: key, object, what, cause: { through } }) {
      const { resourceVersion } = object;
      const id = objectId(kind, object.key);
      loops.saw(key, id, object);
      const source = `watch ${kind.kind}`;
      addFor(queue, key, through, { what, source, resourceVersion, object: id });
    },
  });
}

/** Reconciles an object, and ends the watches that this run has not declared again. */
export async function reconcileWatching(
  dependencies: ReconcileDependencies,
  key: string,
  scope: RunScope,
): Promise<Reconciled> {
  const { dynamicWatches, primary } = dependencies;
  let isComplete = false;
  try {
    const reconciled = await reconcileObject(dependencies, parseObjectKey(key), scope);
    isComplete = true;
    return reconciled;
  } finally {
    dynamicWatches.ended(key, isComplete);
    if (!primary.entry(key)) dynamicWatches.forget(key);
  }
}
