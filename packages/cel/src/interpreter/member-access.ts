// Members of values: `a.b` and `a[b]`.
// Upstream: github.com/google/cel-go v0.26 interpreter/attributes.go (refQualify).
import { CelError } from "../values/cel-error.ts";
import { CelList, findItem } from "../values/list.ts";
import { CelMap } from "../values/map.ts";
import { CelObject, type CelValue, showValue } from "../values/value.ts";

/** Opaque values that have members. */
export interface Indexed {
  get(key: CelValue): CelValue | undefined;
}

/** The member of a map, list or object; undefined when it is missing. */
export function findMember(target: CelValue, key: CelValue): CelValue | undefined {
  if (target instanceof CelMap) return target.find(key);
  if (target instanceof CelList) return findItem(target, key);
  if (target instanceof CelObject && "get" in target)
    return (target as unknown as Indexed).get(key);
  return undefined;
}

/** The member. Throws a CelError when it is missing. */
export function indexValue(target: CelValue, key: CelValue): CelValue {
  const found = findMember(target, key);
  if (found !== undefined) return found;
  throw new CelError(
    target instanceof CelList
      ? `index out of bounds: ${showValue(key)}`
      : `no such key: ${showValue(key)}`,
  );
}
