// Where two values differ.
import { equalJson, isObject, type Json } from "homeostat/api";

/** One place: `status.ready`, and what stands there; undefined for nothing. */
export interface Difference {
  readonly path: string;
  readonly expected: Json | undefined;
  readonly actual: Json | undefined;
}

/** The places at which `actual` differs from `expected`, lists compared item by item. */
export function compare(
  expected: Json | undefined,
  actual: Json | undefined,
  path = "",
): readonly Difference[] {
  if (expected === undefined || actual === undefined)
    return expected === actual ? [] : [{ path, expected, actual }];
  if (equalJson(expected, actual)) return [];
  if (Array.isArray(expected) && Array.isArray(actual)) {
    const length = Math.max(expected.length, actual.length);
    return Array.from({ length }, (_, i) =>
      compare(expected[i], actual[i], `${path}[${i}]`),
    ).flat();
  }
  if (isObject(expected) && isObject(actual)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(actual)]);
    return [...names].flatMap((name) =>
      compare(expected[name], actual[name], path === "" ? name : `${path}.${name}`),
    );
  }
  return [{ path, expected, actual }];
}
