// What a user says must always hold, checked at each change of the server's objects.
import type { JsonObject, Kind, ObjectOf } from "homeostat/api";

/** The server's objects at one moment, those left out that were there before the run. */
export interface WorldView {
  list<K extends Kind>(kind: K): readonly ObjectOf<K>[];
  /** As they were when they were deleted, in order. */
  deleted<K extends Kind>(kind: K): readonly ObjectOf<K>[];
}

/** Returns whether it holds; one that throws does not. */
export type Invariant = (world: WorldView) => boolean;

/** Invariants by what they say: `never loses data`. */
export type Invariants = Readonly<Record<string, Invariant>>;

/** Checks invariants, each until it is broken. */
export class InvariantChecks {
  /** What is broken, in words. */
  readonly broken: string[] = [];
  readonly #left: Map<string, Invariant>;

  constructor(invariants: Invariants) {
    this.#left = new Map(Object.entries(invariants));
  }

  check({ objects, deleted }: Pick<RecordedObjects, "objects" | "deleted">, change: string): void {
    if (this.#left.size === 0) return;
    const view = {
      list: (kind: Kind) => objects.filter((object) => isOf(kind, object)),
      deleted: (kind: Kind) => deleted.filter((object) => isOf(kind, object)),
    } as unknown as WorldView;
    for (const [name, holds] of this.#left) {
      const why = faultOf(() => holds(view));
      if (why === undefined) continue;
      this.#left.delete(name);
      this.broken.push(`"${name}" does not hold after ${change}${why}`);
    }
  }
}

/** What a record of objects has. */
export interface RecordedObjects {
  readonly objects: readonly JsonObject[];
  readonly deleted: readonly JsonObject[];
}

const isOf = ({ apiVersion, kind }: Kind, object: JsonObject): boolean =>
  object["apiVersion"] === apiVersion && object["kind"] === kind;

/** Undefined when it holds. */
function faultOf(holds: () => boolean): string | undefined {
  try {
    return holds() ? undefined : "";
  } catch (error) {
    return `: ${error instanceof Error ? error.message : String(error)}`;
  }
}
