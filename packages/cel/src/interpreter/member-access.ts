// `a.b` and `a[b]` on a value: what is found, and the errors where nothing can be.
// Upstream: github.com/google/cel-go v0.26 interpreter/attributes.go (refQualify).
import { CelError } from "../values/cel-error.ts";
import { CelList, findItem } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CelObject, type CelValue, showValue } from "../values/value.ts";

/** Opaque values that have members of their own. */
export interface Indexed {
  get(key: CelValue): CelValue | undefined;
}

/** The member of a map, list or object; undefined where it has none. */
export function findMember(target: CelValue, key: CelValue): CelValue | undefined {
  if (target instanceof CelMap) return target.find(key);
  if (target instanceof CelList) return findItem(target, key);
  if (target instanceof CelObject && "get" in target)
    return (target as unknown as Indexed).get(key);
  return undefined;
}

/** The member, or an error that says what is missing. */
export function indexValue(target: CelValue, key: CelValue): CelValue {
  const found = findMember(target, key);
  if (found !== undefined) return found;
  throw new CelError(
    target instanceof CelList
      ? `index out of bounds: ${showValue(key)}`
      : `no such key: ${showValue(key)}`,
  );
}
