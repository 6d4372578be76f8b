// The objects of declared watches, for one reconcile.
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import type { ControllerDefinition } from "../define-controller.ts";
import { type DeclaredSelection, declaredWatch } from "./declared-selections.ts";
import { type NamespaceScope, refuseUnwatched } from "./namespace-scope.ts";
import { type SelectableInformer, selectObjects } from "./select-objects.ts";
import type { CompiledSelection } from "./selection.ts";

/** Where to look up objects. */
export interface WatchScope {
  /** What the informers watch. */
  readonly namespaces: NamespaceScope;
  informer(kind: Kind): SelectableInformer | undefined;
  /** An object or a list of them, as the user's code receives it. */
  observe<T>(read: T): T;
  /** Called when the objects of a watch are read. */
  reading(kind: Kind): void;
  /** Receives errors of users' functions; the watch is then empty. Default: they are thrown. */
  readonly failed?: (what: string, error: unknown) => void;
}

/**
 * The objects by name of the watch. Selections are evaluated at once, so that their errors fail the
 * reconcile; objects are read when they are asked for, and stay the same for the whole reconcile.
 */
export function resolveWatches(
  { watches, name: controller }: ControllerDefinition,
  object: KubeObject,
  scope: WatchScope,
): Readonly<Record<string, readonly KubeObject[]>> {
  const resolved = {};
  for (const name of Object.keys(watches)) {
    const declared = declaredWatch(watches, name);
    const selections = select(declared, object, { ...scope, controller });
    let found: readonly KubeObject[] | undefined;
    Object.defineProperty(resolved, name, {
      enumerable: true,
      get() {
        scope.reading(declared.target);
        return (found ??= scope.observe(
          selectObjects(scope.informer(declared.target), selections),
        ));
      },
    });
  }
  return resolved;
}

function select(
  declared: DeclaredSelection,
  object: KubeObject,
  { namespaces, controller, failed }: WatchScope & { readonly controller: string },
): readonly CompiledSelection[] {
  try {
    const selections = declared.selectionsOf(object);
    for (const one of selections)
      refuseUnwatched(`${declared.title} of "${controller}"`, one, namespaces);
    return selections;
  } catch (error) {
    if (!failed) throw error;
    failed(declared.title, error);
    return [];
  }
}
