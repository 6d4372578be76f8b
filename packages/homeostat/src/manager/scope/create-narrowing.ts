// The narrow caches of a manager, until a controller reads more of a kind than it watches.
import type { Kind } from "../../api/kind.ts";
import type { Cache } from "../../cache/index.ts";
import type { NarrowKind, Narrowing } from "../../controller/watching/narrow-kinds.ts";

/** `kinds` as the cache was given them. */
export function createNarrowing(cache: Cache, kinds: readonly NarrowKind[]): Narrowing {
  const narrow = new Map(kinds.map(({ kind, selection }) => [idOf(kind), selection]));
  return {
    selectionOf: (kind) => narrow.get(idOf(kind)),
    widen: (kind) => void cache.widen(kind).then(() => narrow.delete(idOf(kind))),
  };
}

const idOf = ({ apiVersion, kind }: Kind): string => `${apiVersion}/${kind}`;
