// Field sets as tests compare them.
import { formatFieldPath } from "./field-path.ts";
import { type FieldSet, pathsOf } from "./field-set.ts";

/** The paths of a set in its own order, e.g. `.spec.ports[0]`. */
export const formatPaths = (set: FieldSet): string[] => [...pathsOf(set)].map(formatFieldPath);

/** The paths of a set, sorted. */
export const paths = (set: FieldSet): string[] => formatPaths(set).sort();
