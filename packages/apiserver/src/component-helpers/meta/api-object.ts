// What controllers that work on objects of several kinds need of one.
import type { Metadata } from "homeostat/api";

/** An object of any kind. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
}

/** The key of a namespaced object in an informer, e.g. `default/web`. */
export const keyFor = ({ metadata: { namespace, name } }: Pick<ApiObject, "metadata">): string =>
  `${namespace ?? ""}/${name}`;

/** True once the object has a deletion timestamp. */
export const isTerminating = ({ metadata }: Pick<ApiObject, "metadata">): boolean =>
  metadata.deletionTimestamp !== undefined;
