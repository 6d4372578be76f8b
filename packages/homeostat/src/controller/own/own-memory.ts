// What one controller remembers of its sets, for as long as the process runs: between several sets
// of one kind a child may move within one reconcile.
import type { Kind } from "../../api/kind.ts";

/** Shared by all runs of a controller. */
export class OwnMemory {
  readonly #sets = new Map<string, Set<string>>();
  #hasCompleted = false;

  /** Records the manager of a set whose own() is called. */
  called(kind: Kind, manager: string): void {
    const id = idOf(kind);
    const managers = this.#sets.get(id);
    if (managers) managers.add(manager);
    else this.#sets.set(id, new Set([manager]));
  }

  /** Records a run that has made all its calls. */
  completed(): void {
    this.#hasCompleted = true;
  }

  /** False when the kind has one set only, as far as runs have shown. */
  mayMove(kind: Kind): boolean {
    return !this.#hasCompleted || this.managers(kind).size > 1;
  }

  /** The managers of all sets of the kind. */
  managers(kind: Kind): ReadonlySet<string> {
    return this.#sets.get(idOf(kind)) ?? new Set();
  }
}

const idOf = (kind: Kind): string => `${kind.apiVersion}/${kind.kind}`;
