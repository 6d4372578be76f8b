// The shape of the cached entries that tests make.
import type { EntryShape } from "./cached-entry.ts";
import { ParsedObjects } from "./parsed-objects.ts";

/** Of v1 Things, frozen, without other managers' fields, in a cache of its own. */
export const entryShape = (rest: Partial<EntryShape> = {}): EntryShape => ({
  apiVersion: "v1",
  kind: "Thing",
  frozen: true,
  parsedObjects: new ParsedObjects({ objects: 100, bytes: 1e6 }),
  keepManager: () => false,
  project: undefined,
  ...rest,
});
