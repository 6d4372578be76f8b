// What a call costs once its arguments are known. Every other node costs a constant that the
// planner knows.
// Upstream: github.com/google/cel-go v0.26 interpreter/runtimecost.go; k8s.io/apiserver v0.36
// pkg/cel/library/cost.go (CallCost).
import { CelList } from "./values/list.ts";
import { CelMap } from "./values/map.ts";
import { Optional } from "./values/optional.ts";
import { CelObject, type CelValue } from "./values/value.ts";
import { codePointLength } from "./values/text.ts";

/** The cost of one call. */
export type CallCost = (args: readonly CelValue[], result: CelValue) => number;

/** What a pass over a string costs per character, and what a character of a pattern costs. */
export const traversal = 0.1;
export const patternFactor = 0.25;
export const listCost = 10;
export const mapCost = 30;
export const structCost = 40;

/** Opaque values that measure themselves, e.g. an IP address by its bits. */
export interface Sized {
  readonly costSize: number;
}

/** Characters, bytes, items or entries; 1 for what has no size. */
export function actualSize(value: CelValue): number {
  if (typeof value === "string") return codePointLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof CelList || value instanceof CelMap) return value.size;
  if (value instanceof Optional && value.held !== undefined) return actualSize(value.held);
  if (value instanceof CelObject && "costSize" in value)
    return (value as unknown as Sized).costSize;
  return 1;
}

/** One pass over the argument. */
export const pass = (value: CelValue, factor = traversal): number =>
  Math.ceil(actualSize(value) * factor);

const patternCost = (text: CelValue, pattern: CelValue): number =>
  Math.ceil((1 + actualSize(text)) * traversal) * Math.ceil(actualSize(pattern) * patternFactor);
const shorter = (args: readonly CelValue[]): number =>
  Math.ceil(Math.min(actualSize(args[0]!), actualSize(args[1]!)) * traversal);
const both = (args: readonly CelValue[]): number =>
  Math.ceil((actualSize(args[0]!) + actualSize(args[1]!)) * traversal);
const first: CallCost = (args) => pass(args[0]!);
const firstTwice: CallCost = (args) => pass(args[0]!, 2 * traversal);

/** Values whose `==` costs one unit whatever their size. */
export interface ConstantEquality {
  readonly constantEquality: true;
}

const equality: CallCost = (args) =>
  args[0] instanceof CelObject && "constantEquality" in args[0] ? 1 : shorter(args);

function walk(value: CelValue): number {
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  if (value instanceof CelList) {
    let cost = 0;
    for (const item of value) cost += walk(item);
    return cost;
  }
  if (value instanceof CelMap)
    return value.keys().reduce((cost: number, key) => cost + walk(key) + walk(value.find(key)!), 0);
  return 1;
}

const sorted: CallCost = (args) => walk(args[0]!);
const addressBytes = 2;

/** Costs by function name, for every overload. */
const byFunction: Readonly<Record<string, number | CallCost>> = {
  check: 350_000,
  isSorted: sorted,
  sum: sorted,
  max: sorted,
  min: sorted,
  indexOf: sorted,
  lastIndexOf: sorted,
  url: first,
  lowerAscii: first,
  upperAscii: first,
  substring: first,
  trim: first,
  "jsonpatch.escapeKey": first,
  replace: firstTwice,
  split: firstTwice,
  join: (_args, result) => pass(result, 2 * traversal),
  find: (args) => patternCost(args[0]!, args[1]!),
  findAll: (args) => patternCost(args[0]!, args[1]!),
  cidr: first,
  isIP: first,
  isCIDR: first,
  quantity: first,
  isQuantity: first,
  semver: first,
  isSemver: first,
  ip: first,
  "ip.isCanonical": firstTwice,
  containsIP: (args) =>
    pass(args[0]!, addressBytes * traversal) + (typeof args[1] === "string" ? pass(args[1]) : 0),
  containsCIDR: (args) =>
    pass(args[0]!, addressBytes * traversal) +
    pass(args[0]!) +
    1 +
    (typeof args[1] === "string" ? pass(args[1]) : 0),
  validate: (args) =>
    Math.ceil((1 + actualSize(args[1]!)) * traversal) *
    Math.ceil(
      ((args[0] as unknown as { maxPatternSize?: number }).maxPatternSize ?? 0) * patternFactor,
    ),
  fieldSelector: (args) => selectorCost(args[1]!),
  labelSelector: (args) => selectorCost(args[1]!),
};

function selectorCost(selector: CelValue): number {
  const size = actualSize(selector);
  return (
    listCost +
    Math.ceil(size * traversal) +
    Math.ceil(Math.ceil(size * 0.5) * (listCost + structCost))
  );
}

/** A list of so many items is made. */
const allocate = (size: number, factor: number): number => Math.floor(size * factor) + 1 + listCost;
const resultList: CallCost = (_args, result) => allocate(actualSize(result), 1);
const flattened: CallCost = (args) =>
  allocate(actualSize(args[0]!), args.length === 2 ? Number(args[1]) : 1);

/** Every item against every other; texts cost more. */
function selfComparison(list: CelValue): number {
  const size = actualSize(list);
  const first = list instanceof CelList && list.size > 0 ? list.at(0) : undefined;
  return allocate(
    size * size,
    typeof first === "string" || first instanceof Uint8Array ? 2 + traversal : 2,
  );
}

const setCost =
  (factor: number): CallCost =>
  (args) =>
    1 + Math.floor(actualSize(args[0]!) * actualSize(args[1]!) * factor);

const sortable = [
  "int",
  "uint",
  "double",
  "bool",
  "google.protobuf.Duration",
  "google.protobuf.Timestamp",
  "string",
  "bytes",
];
const sorting: Readonly<Record<string, CallCost>> = Object.fromEntries(
  sortable.flatMap((name) => [
    [`list_${name}_sort`, (args: readonly CelValue[]) => selfComparison(args[0]!)],
    [`list_${name}_sortByAssociatedKeys`, (args: readonly CelValue[]) => selfComparison(args[1]!)],
  ]),
);

/** Costs by overload, where only some overloads of a function differ from one unit. */
const byOverload: Readonly<Record<string, number | CallCost>> = {
  ...sorting,
  list_slice: resultList,
  lists_range: resultList,
  list_reverse: resultList,
  list_flatten: flattened,
  list_flatten_int: flattened,
  list_distinct: (args) => selfComparison(args[0]!),
  list_sets_contains_list: setCost(1),
  list_sets_intersects_list: setCost(1),
  list_sets_equivalent_list: setCost(2),
  cidr_ip: 1,
  starts_with_string: first,
  ends_with_string: first,
  string_to_bytes: first,
  bytes_to_string: first,
  strings_quote: first,
  string_format: first,
  in_list: (args) => actualSize(args[1]!),
  less_string: shorter,
  less_equals_string: shorter,
  greater_string: shorter,
  greater_equals_string: shorter,
  less_bytes: shorter,
  less_equals_bytes: shorter,
  greater_bytes: shorter,
  greater_equals_bytes: shorter,
  equals: equality,
  not_equals: shorter,
  add_string: both,
  add_bytes: both,
  matches_string: (args) => patternCost(args[0]!, args[1]!),
  contains_string: (args) => pass(args[0]!) * pass(args[1]!),
};

/**
 * What a call costs: a number where it is always the same. `overloadId` is undefined where values
 * decide.
 */
export function callCost(functionName: string, overloadId: string | undefined): number | CallCost {
  if (overloadId === "cidr_ip") return 1;
  return byFunction[functionName] ?? (overloadId === undefined ? 1 : (byOverload[overloadId] ?? 1));
}
