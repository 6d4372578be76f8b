// The selections of all sources of one watch, so that a change of an object finds its sources
// without asking each of them. Sources with equal selections share one entry.
import type { CachedObject } from "../../cache/informer.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { type CompiledSelection, matchesSelection } from "./selection.ts";

/** How an object stands to a selection before and after a change. */
export interface Match {
  /** Keys of the sources. */
  readonly sources: Iterable<string>;
  readonly before: boolean;
  readonly after: boolean;
}

interface Group {
  readonly selection: CompiledSelection;
  readonly sources: Set<string>;
}

/** Selections by source. */
export class SelectionMap {
  /** By namespace ("" for all) and selection. */
  readonly #groups = new Map<string, Map<string, Group>>();
  readonly #bySource = new Map<string, readonly CompiledSelection[]>();

  set(source: string, selections: readonly CompiledSelection[]): void {
    this.delete(source);
    if (selections.length === 0) return;
    this.#bySource.set(source, selections);
    for (const selection of selections) {
      const namespace = selection.namespace ?? "";
      const groups = this.#groups.get(namespace) ?? new Map<string, Group>();
      this.#groups.set(namespace, groups);
      const group = groups.get(selection.id) ?? { selection, sources: new Set() };
      groups.set(selection.id, group);
      group.sources.add(source);
    }
  }

  delete(source: string): void {
    for (const { namespace = "", id } of this.#bySource.get(source) ?? []) {
      const groups = this.#groups.get(namespace);
      const group = groups?.get(id);
      group?.sources.delete(source);
      if (group?.sources.size === 0) groups!.delete(id);
      if (groups?.size === 0) this.#groups.delete(namespace);
    }
    this.#bySource.delete(source);
  }

  /** Number of distinct selections. */
  get size(): number {
    let size = 0;
    for (const groups of this.#groups.values()) size += groups.size;
    return size;
  }

  /** The selections that match an object before or after a change. */
  matches(old: CachedObject | undefined, object: CachedObject | undefined): readonly Match[] {
    const { namespace } = (object ?? old)!;
    const matches: Match[] = [];
    for (const bucket of namespace === "" ? [""] : ["", namespace])
      for (const { selection, sources } of this.#groups.get(bucket)?.values() ?? []) {
        const before = selects(selection, old);
        const after = selects(selection, object);
        if (before || after) matches.push({ sources: [...sources], before, after });
      }
    return matches;
  }
}

function selects(selection: CompiledSelection, object: CachedObject | undefined): boolean {
  return object !== undefined && matchesSelection(selection, () => object.read() as KubeObject);
}
