// What users see of the reads from the cache: declared indexes, and the reads in the context.
import type { Kind, ObjectOf } from "../../api/kind.ts";
import type { ObjectAddress } from "../controller-client.ts";
import type { Selection } from "./selection.ts";

/** An index over the objects of a declared kind. */
export interface Index<K extends Kind> {
  readonly target: K;
  /** Must be pure: it runs for every change of an object. */
  readonly valuesOf: (object: any) => readonly string[];
}

/**
 * Declares an index: `indexes: { byHost: index(WebApp, (app) => [app.spec.host]) }`. The kind must
 * be declared in `owns`, `refs` or `watches`, or be the controller's own.
 */
export function index<K extends Kind>(
  target: K,
  valuesOf: (object: ObjectOf<K>) => readonly string[],
): Index<K> {
  return { target, valuesOf };
}

/** What the compiler prints for a kind that is not declared. */
export type Undeclared = "ERR_UNDECLARED: list the kind in `owns`, `refs` or `watches`";

/**
 * Reads from the cache. Reads beyond what is cached of a kind that is only watched are refused
 * once (ERR_CACHE_NARROW). A name without a namespace is in that of the reconciled object.
 */
export interface CachedReads<D extends Kind, I> {
  get<K extends D>(kind: K | Undeclared, address: string | ObjectAddress): ObjectOf<K> | undefined;
  /**
   * Lists by key. `namespace` defaults to that of the reconciled object; "" selects all that the
   * manager watches.
   */
  list<K extends D>(kind: K | Undeclared, options?: Selection): readonly ObjectOf<K>[];
  /** The objects with `value` in a declared index, of all namespaces that the manager watches. */
  byIndex<N extends keyof I & string>(
    name: N,
    value: string,
  ): I[N] extends Index<infer K> ? readonly ObjectOf<K>[] : never;
}
