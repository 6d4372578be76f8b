// Who owns whom, as far as watches have told. A pure machine: changes in, keys to look at out. The graph may lag behind the
// server; whatever it proposes is checked against live objects before anything is written.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go.

/** An owner reference as the graph needs it. */
export interface GraphReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blocking: boolean;
}

/** An object as a watch told of it. */
export interface GraphObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** "" for cluster-wide objects. */
  readonly namespace: string;
  readonly uid: string;
  readonly owners: readonly GraphReference[];
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

/** Objects that somebody should look at, by uid. */
export interface GraphWork {
  readonly collect: readonly string[];
  readonly orphan: readonly string[];
}

/** A node; `dependents` holds uids of objects that refer to it, whether they may or not. */
export interface GraphNode {
  readonly object: GraphObject;
  readonly dependents: ReadonlySet<string>;
}

/** The finalizer of an owner that waits for its dependents (metav1.FinalizerDeleteDependents). */
export const foregroundFinalizer = "foregroundDeletion";
/** The finalizer of an owner whose dependents are to stay (metav1.FinalizerOrphanDependents). */
export const orphanFinalizer = "orphan";

/** True while an owner waits for its dependents to go. */
export function waitsForDependents(object: { readonly deleting: boolean; readonly finalizers: readonly string[] }): boolean {
  return object.deleting && object.finalizers.includes(foregroundFinalizer);
}

const orphans = (object: GraphObject): boolean => object.deleting && object.finalizers.includes(orphanFinalizer);
const nothing: GraphWork = { collect: [], orphan: [] };

/** The graph. Mutable, but a function of the changes it was told. */
export class OwnerGraph {
  readonly #objects = new Map<string, GraphObject>();
  /** Dependents by the uid that they refer to, known or not. */
  readonly #dependents = new Map<string, Set<string>>();

  /** The node of an object that exists as far as is known. */
  node(uid: string): GraphNode | undefined {
    const object = this.#objects.get(uid);
    return object && { object, dependents: this.#dependents.get(uid) ?? new Set() };
  }

  /** Takes note of an object that was added or changed. */
  observe(object: GraphObject): GraphWork {
    const old = this.#objects.get(object.uid);
    this.#objects.set(object.uid, object);
    this.#relink(object.uid, old?.owners ?? [], object.owners);
    const collect = new Set<string>([...this.#suspects(object, old), ...this.#unblocked(object, old)]);
    if (orphans(object) && !(old && orphans(old))) return { collect: [...collect], orphan: [object.uid] };
    if (waitsForDependents(object) && !(old && waitsForDependents(old))) for (const uid of [...this.#dependentsOf(object.uid), object.uid]) collect.add(uid);
    if (!old) for (const uid of this.#mismatched(object)) collect.add(uid);
    return collect.size ? { collect: [...collect], orphan: [] } : nothing;
  }

  /** Takes note that an object is gone. Its dependents, and owners that waited for it, are to be looked at. */
  forget(uid: string): GraphWork {
    const object = this.#objects.get(uid);
    if (!object) return nothing;
    this.#objects.delete(uid);
    this.#relink(uid, object.owners, []);
    const waiting = object.owners.map((owner) => owner.uid).filter((owner) => this.#waits(owner));
    return { collect: [...this.#dependentsOf(uid), ...waiting], orphan: [] };
  }

  /** Everything that might have to go and that no change will announce: objects whose owner is not known. */
  suspects(): readonly string[] {
    return [...this.#objects.values()].flatMap((object) => (this.#suspects(object, undefined).length ? [object.uid] : []));
  }

  /** Itself, when an owner is unknown, is elsewhere than the reference says, or waits for its dependents. */
  #suspects(object: GraphObject, old: GraphObject | undefined): readonly string[] {
    const before = new Set(old?.owners.map((owner) => owner.uid));
    const added = object.owners.filter((owner) => !before.has(owner.uid));
    const suspicious = added.some((reference) => {
      const owner = this.#objects.get(reference.uid);
      return !owner || !matches(reference, owner, object.namespace) || waitsForDependents(owner);
    });
    return suspicious ? [object.uid] : [];
  }

  /** Owners that waited for this object, when it no longer blocks them. */
  #unblocked(object: GraphObject, old: GraphObject | undefined): readonly string[] {
    const still = new Set(object.owners.filter((owner) => owner.blocking).map((owner) => owner.uid));
    return (old?.owners ?? []).filter((owner) => owner.blocking && !still.has(owner.uid) && this.#objects.has(owner.uid)).map((owner) => owner.uid);
  }

  /** Dependents that refer to this uid under another kind, name or namespace. */
  #mismatched(owner: GraphObject): readonly string[] {
    return this.#dependentsOf(owner.uid).filter((uid) => {
      const dependent = this.#objects.get(uid);
      return dependent?.owners.some((reference) => reference.uid === owner.uid && !matches(reference, owner, dependent.namespace));
    });
  }

  #waits(uid: string): boolean {
    const owner = this.#objects.get(uid);
    return owner !== undefined && waitsForDependents(owner);
  }

  #dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  #relink(uid: string, before: readonly GraphReference[], after: readonly GraphReference[]): void {
    for (const { uid: owner } of before) {
      const dependents = this.#dependents.get(owner);
      dependents?.delete(uid);
      if (dependents?.size === 0) this.#dependents.delete(owner);
    }
    for (const { uid: owner } of after) {
      const dependents = this.#dependents.get(owner) ?? new Set();
      this.#dependents.set(owner, dependents.add(uid));
    }
  }
}

/** True when a reference found in `namespace` names this very object. */
function matches(reference: GraphReference, owner: GraphObject, namespace: string): boolean {
  return reference.apiVersion === owner.apiVersion && reference.kind === owner.kind && reference.name === owner.name && (owner.namespace === "" || owner.namespace === namespace);
}
