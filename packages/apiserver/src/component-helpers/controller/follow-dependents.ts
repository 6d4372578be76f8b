// Enqueues owners when their dependents change: the controller of a dependent, its former
// controller, or every owner that may adopt an orphan.
// Upstream: the handlers addPod, updatePod, deletePod that controllers under
// k8s.io/kubernetes/pkg/controller repeat.
import { controllerOf, type LabelSelector, matchesLabels, type Kind } from "homeostat/api";
import type { CachedObject, Informer } from "homeostat/cache";
import type { KeyedController } from "./keyed-controller.ts";
import { keyFor, type ApiObject } from "../meta/api-object.ts";

/** The possible owners and their selectors. */
export interface Owners<O extends ApiObject> {
  readonly informer: Informer<Kind<O>>;
  readonly selector: (owner: O) => LabelSelector | undefined;
}

/**
 * Enqueues an owner when a dependent, or an orphan that it selects, is added, updated or deleted.
 * With `arrivals: "orphans"`, an added dependent that has a controller is ignored.
 */
export function followDependents<O extends ApiObject, D extends ApiObject>(
  controller: KeyedController,
  owners: Owners<O>,
  dependents: Informer<Kind<D>>,
  { arrivals = "all" }: { readonly arrivals?: "all" | "orphans" } = {},
): void {
  const { informer, selector } = owners;
  const enqueueController = (entry: CachedObject<D>): boolean => {
    const reference = controllerOf(entry.read());
    if (!reference) return false;
    const owner =
      reference.kind === informer.kind.kind
        ? informer.entry(`${entry.namespace}/${reference.name}`)
        : undefined;
    if (owner?.uid === reference.uid) controller.add(owner.key);
    return true;
  };
  const enqueue = (entry: CachedObject<D>): void => {
    if (enqueueController(entry) || entry.deleting) return;
    const { labels = {} } = entry.read().metadata;
    for (const owner of informer.list({ namespace: entry.namespace })) {
      const wanted = selector(owner);
      if (wanted !== undefined && wanted.length > 0 && matchesLabels(wanted, labels))
        controller.add(keyFor(owner));
    }
  };
  const arrived = (entry: CachedObject<D>): void => {
    if (arrivals === "all" || entry.deleting || !controllerOf(entry.read())) enqueue(entry);
  };
  controller.follow(dependents, {
    added: arrived,
    updated: (old, now) => (enqueueController(old), enqueue(now)),
    deleted: (entry) => void enqueueController(entry),
  });
}
