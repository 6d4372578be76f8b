// Reads of whole objects, on the entries of an informer.
import { formatObjectKey } from "../api/gvk.ts";
import type { CachedObject, Informer, Reader } from "./informer.ts";

/** A reader of objects; those for which `read` returns undefined are left out. */
export function createReader(
  source: Pick<Informer, "entry" | "entries" | "entriesByIndex">,
  read: (entry: CachedObject) => unknown,
): Reader {
  const readAll = (entries: readonly CachedObject[]): readonly any[] =>
    entries.flatMap((entry) => read(entry) ?? []);
  return {
    get(key) {
      const entry = source.entry(formatObjectKey(key));
      return entry && read(entry);
    },
    list: (options) => readAll(source.entries(options)),
    byIndex: (index, value) => readAll(source.entriesByIndex(index, value)),
  };
}
