// The graph of owners and dependents, as watches reported them. A pure machine: changes in, objects
// to process out. The graph may lag behind the server; what it proposes is checked against live
// objects before anything is written. Where upstream keeps virtual nodes for owners that no watch
// has reported, this graph proposes their dependents.
// Upstream: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go.

/** Identifies an object as an owner reference does; `namespace` is "" for cluster-wide objects. */
export interface Coordinates {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** An owner reference as the graph needs it. */
export interface GraphReference extends Omit<Coordinates, "namespace"> {
  readonly blocking: boolean;
}

/** An object as a watch reported it. */
export interface GraphObject extends Coordinates {
  readonly owners: readonly GraphReference[];
  readonly deleting: boolean;
  readonly finalizers: readonly string[];
}

/** A reference to an object that lives in another namespace, where no reference reaches. */
export interface Misplaced {
  readonly dependent: GraphObject;
  readonly reference: GraphReference;
}

/** Work that follows from a change, by uid: objects to collect and owners to orphan. */
export interface GraphWork {
  readonly collect: readonly string[];
  readonly orphan: readonly string[];
  readonly misplaced: readonly Misplaced[];
}

/**
 * A node as it is now; `dependents` holds the uids of all objects that refer to it. Stale after an
 * await.
 */
export interface GraphNode {
  readonly object: GraphObject;
  readonly dependents: ReadonlySet<string>;
}

/** The finalizer of an owner in foreground deletion (metav1.FinalizerDeleteDependents). */
export const foregroundFinalizer = "foregroundDeletion";
/** The finalizer of an owner whose dependents are orphaned (metav1.FinalizerOrphanDependents). */
export const orphanFinalizer = "orphan";

type Deletion = Pick<GraphObject, "deleting" | "finalizers">;

/** True while an owner waits for its dependents to be deleted. */
export const waitsForDependents = ({ deleting, finalizers }: Deletion): boolean =>
  deleting && finalizers.includes(foregroundFinalizer);
/** True while an owner waits for its dependents to be orphaned. */
export const orphansDependents = ({ deleting, finalizers }: Deletion): boolean =>
  deleting && finalizers.includes(orphanFinalizer);

/** The graph. Mutable, but a function of the changes it observed. */
export class OwnerGraph {
  readonly #objects = new Map<string, GraphObject>();
  /** Dependents by the uid that they refer to, known or not. */
  readonly #dependents = new Map<string, Set<string>>();

  /** The node of an object that has been observed. */
  node(uid: string): GraphNode | undefined {
    const object = this.#objects.get(uid);
    return object && { object, dependents: this.#dependents.get(uid) ?? new Set() };
  }

  /** Records an object that was added or changed. */
  observe(object: GraphObject): GraphWork {
    const old = this.#objects.get(object.uid);
    this.#objects.set(object.uid, object);
    this.#relink(object.uid, old?.owners ?? [], object.owners);
    const work = new Work();
    for (const owner of this.#unblocked(object, old)) work.collect.add(owner);
    this.#judge(object, old, work);
    if (!old)
      for (const dependent of this.#dependentsOf(object.uid))
        this.#judgeReferences(
          this.#objects.get(dependent),
          (reference) => reference.uid === object.uid,
          work,
        );
    return work.done();
  }

  /** Removes an object. Its dependents, and owners that waited for it, are to be collected. */
  forget(uid: string): GraphWork {
    const work = new Work();
    const object = this.#objects.get(uid);
    this.#objects.delete(uid);
    this.#relink(uid, object?.owners ?? [], []);
    if (object) for (const dependent of this.#dependentsOf(uid)) work.collect.add(dependent);
    for (const { uid: owner } of object?.owners ?? [])
      if (this.#waits(owner)) work.collect.add(owner);
    return work.done();
  }

  /** The work that the graph as it stands asks for, for a collector that starts with it. */
  review(): GraphWork {
    const work = new Work();
    for (const object of this.#objects.values()) this.#judge(object, undefined, work);
    return work.done();
  }

  /** Adds the work that an object's new state asks for. */
  #judge(object: GraphObject, old: GraphObject | undefined, work: Work): void {
    const known = new Set(old?.owners.map((owner) => owner.uid));
    this.#judgeReferences(object, (reference) => !known.has(reference.uid), work);
    if (orphansDependents(object)) {
      if (!old || !orphansDependents(old)) work.orphan.add(object.uid);
    } else if (
      waitsForDependents(object) &&
      (!old || orphansDependents(old) || !waitsForDependents(old))
    ) {
      for (const uid of this.#dependentsOf(object.uid)) work.collect.add(uid);
      work.collect.add(object.uid);
    }
  }

  /** An object is collected when an owner is unknown or differs from the reference. */
  #judgeReferences(
    object: GraphObject | undefined,
    concerns: (reference: GraphReference) => boolean,
    work: Work,
  ): void {
    for (const reference of object?.owners ?? []) {
      if (!concerns(reference)) continue;
      const owner = this.#objects.get(reference.uid);
      const elsewhere =
        owner !== undefined && owner.namespace !== "" && owner.namespace !== object!.namespace;
      if (elsewhere) work.misplaced.push({ dependent: object!, reference });
      if (!owner || elsewhere || !isNamedBy(owner, reference)) work.collect.add(object!.uid);
    }
  }

  /** Owners that the old state blocked and the new one does not. */
  #unblocked(object: GraphObject, old: GraphObject | undefined): readonly string[] {
    const still = new Set(
      object.owners.filter((owner) => owner.blocking).map((owner) => owner.uid),
    );
    return (old?.owners ?? [])
      .filter((owner) => owner.blocking && !still.has(owner.uid) && this.#objects.has(owner.uid))
      .map((owner) => owner.uid);
  }

  #waits(uid: string): boolean {
    const owner = this.#objects.get(uid);
    return owner !== undefined && waitsForDependents(owner);
  }

  #dependentsOf(uid: string): readonly string[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** Links that stay are not touched, so that nodes handed out stay current. */
  #relink(uid: string, before: readonly GraphReference[], after: readonly GraphReference[]): void {
    const kept = new Set(after.map(({ uid: owner }) => owner));
    for (const { uid: owner } of before) {
      if (kept.has(owner)) continue;
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

/** Gathers work, each object once. */
class Work {
  readonly collect = new Set<string>();
  readonly orphan = new Set<string>();
  readonly misplaced: Misplaced[] = [];

  done(): GraphWork {
    return { collect: [...this.collect], orphan: [...this.orphan], misplaced: this.misplaced };
  }
}

function isNamedBy(owner: GraphObject, { apiVersion, kind, name }: GraphReference): boolean {
  return owner.apiVersion === apiVersion && owner.kind === kind && owner.name === name;
}
