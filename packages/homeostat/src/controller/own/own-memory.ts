// What one controller remembers of its sets, for as long as the process runs: between several sets
// of one kind a child may move within one reconcile, and a server may store an object in a form
// that differs from what was applied.
import type { Kind } from "../../api/kind.ts";
import { kindId } from "../echo/run-record.ts";

/** Objects whose stored form is remembered; for others an apply is repeated. */
const storedKept = 10_000;
/** Deleted objects remembered; the cache has forgotten older ones. */
const goneKept = 10_000;

/** Shared by all runs of a controller. */
export class OwnMemory {
  readonly #sets = new Map<string, Set<string>>();
  readonly #stored = new Map<string, { readonly asked: string; readonly stored: string }>();
  readonly #gone = new Set<string>();
  readonly #unseen = new Set<string>();
  #hasCompleted = false;

  /** Records the manager of a set whose own() is called. */
  called(kind: Kind, manager: string): void {
    const id = kindId(kind);
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

  /** Remembers what the server made of an intent, for one object and manager. */
  learn(id: string, asked: string, stored: string): void {
    this.#stored.delete(id);
    this.#stored.set(id, { asked, stored });
    if (this.#stored.size > storedKept) this.#stored.delete(this.#stored.keys().next().value!);
  }

  /** What the server stored for this intent; undefined when it was another or is not known. */
  storedFor(id: string, asked: string): string | undefined {
    const known = this.#stored.get(id);
    return known?.asked === asked ? known.stored : undefined;
  }

  /** Records that the server has no object of this uid any more; the cache may still have it. */
  gone(uid: string): void {
    this.#gone.add(uid);
    if (this.#gone.size > goneKept) this.#gone.delete(this.#gone.values().next().value!);
  }

  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  /** True once for each kind. */
  isFirstUnseen(kind: Kind): boolean {
    const known = this.#unseen.size;
    return this.#unseen.add(kindId(kind)).size > known;
  }

  /** The managers of all sets of the kind. */
  managers(kind: Kind): ReadonlySet<string> {
    return this.#sets.get(kindId(kind)) ?? new Set();
  }
}
