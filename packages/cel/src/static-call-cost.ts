// What calls may cost at worst, and how large their results may be, by function and overload.
// Upstream: k8s.io/apiserver v0.36 pkg/cel/library/cost.go (EstimateCallCost);
// github.com/google/cel-go v0.26 checker/cost.go (functionCost).
import {
  addEstimates,
  type Estimate,
  fixed,
  multiplyEstimates,
  scaleEstimate,
  unbounded,
  unknownSize,
} from "./estimate.ts";
import { listCost, patternFactor, structCost, traversal } from "./runtime-cost.ts";
import type { CostNode, SizeOracle } from "./static-cost.ts";
import { sameType } from "./type.ts";

/**
 * The cost of a call without its arguments, and the size of what it returns where that is known.
 */
export interface CallEstimate {
  readonly cost: Estimate;
  readonly resultSize?: Estimate;
}

/** One call, for one of the overloads that may apply. */
export interface CallSite {
  readonly name: string;
  readonly overloadId: string;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
  readonly sizeByPath: SizeOracle;
}

type Estimator = (site: CallSite) => CallEstimate | undefined;

/** Estimates one call. */
export function estimateCall(site: CallSite): CallEstimate {
  return byFunction[site.name]?.(site) ?? byOverload[site.overloadId]?.(site) ?? { cost: fixed(1) };
}

const one: Estimator = () => ({ cost: fixed(1) });

/** The size of a node, asked again where the node itself does not know it. */
const sizeOf = (node: CostNode, { sizeByPath }: CallSite): Estimate =>
  node.size ?? (node.path && sizeByPath(node.path)) ?? unknownSize;
const pass = (size: Estimate, factor = traversal): Estimate => scaleEstimate(size, factor);

/** One pass over the first argument. */
const argument: Estimator = (site) =>
  site.args[0] ? { cost: pass(sizeOf(site.args[0], site)) } : undefined;
const argumentTwice: Estimator = (site) =>
  site.args[0] ? { cost: pass(sizeOf(site.args[0], site), 2 * traversal) } : undefined;
/** One pass over the argument, which is also as large as the result. */
const sameSize: Estimator = (site) =>
  site.args.length === 1
    ? { cost: pass(sizeOf(site.args[0]!, site)), resultSize: sizeOf(site.args[0]!, site) }
    : undefined;
const targetSameSize: Estimator = (site) =>
  site.target
    ? { cost: pass(sizeOf(site.target, site)), resultSize: sizeOf(site.target, site) }
    : undefined;

function elementOf(list: CostNode): CostNode | undefined {
  const type = list.type.params[0];
  return (
    type && { path: list.path && [...list.path, "@items"], type, expr: undefined, size: undefined }
  );
}

const everyItem: Estimator = (site) => {
  if (!site.target) return undefined;
  const size = sizeOf(site.target, site);
  const element = elementOf(site.target);
  if (!element) return { cost: pass(size) };
  const isText = element.type.kind === "string" || element.type.kind === "bytes";
  return {
    cost: multiplyEstimates(
      size,
      isText ? addEstimates(fixed(1), pass(sizeOf(element, site))) : fixed(1),
    ),
  };
};

const replace: Estimator = (site) => {
  const { target, args } = site;
  if (!target || args.length < 2) return undefined;
  const size = sizeOf(target, site);
  const old = sizeOf(args[0]!, site);
  const replacement = sizeOf(args[1]!, site);
  const most = occurrences(size.max, old.min, replacement.max <= old.min);
  const fewest = occurrences(size.min, old.max, old.max <= replacement.min);
  const resultSize = addEstimates(
    multiplyEstimates({ min: fewest.count, max: most.count }, replacement),
    { min: fewest.kept, max: most.kept },
  );
  return { cost: pass(size, 2 * traversal), resultSize };
};

/**
 * How often a text of `old` characters may be replaced in one of `size`, and how much of it stays.
 */
function occurrences(
  size: number,
  old: number,
  never: boolean,
): { readonly count: number; readonly kept: number } {
  if (old === 0) return { count: Math.min(size + 1, unbounded), kept: size };
  return never ? { count: 0, kept: size } : { count: Math.ceil(size / old), kept: 0 };
}

const split: Estimator = (site) => {
  if (!site.target) return undefined;
  const size = sizeOf(site.target, site);
  const limit = site.args[1]?.expr;
  const max =
    limit?.kind === "literal" && typeof limit.value === "number"
      ? limit.value < 0
        ? unbounded
        : limit.value
      : size.max;
  return { cost: pass(size, 2 * traversal), resultSize: { min: 0, max } };
};

const join: Estimator = (site) => {
  if (!site.target) return undefined;
  const items = sizeOf(site.target, site);
  const element = elementOf(site.target);
  const separators = { min: Math.max(0, items.min - 1), max: Math.max(0, items.max - 1) };
  const size = addEstimates(
    element ? multiplyEstimates(items, sizeOf(element, site)) : fixed(0),
    site.args[0] ? multiplyEstimates(sizeOf(site.args[0], site), separators) : fixed(0),
  );
  return { cost: pass(size), resultSize: size };
};

const search: Estimator = (site) => {
  if (!site.target || !site.args[0]) return undefined;
  const size = sizeOf(site.target, site);
  return {
    cost: patternCost(size, sizeOf(site.args[0], site)),
    resultSize: { min: 0, max: size.max },
  };
};

const patternCost = (text: Estimate, pattern: Estimate): Estimate =>
  multiplyEstimates(pass(addEstimates(text, fixed(1))), scaleEstimate(pattern, patternFactor));

/** Bytes of an address. */
const address: Estimate = { min: 4, max: 16 };
const comparedAddresses = pass(addEstimates(address, address));

const containsIp: Estimator = (site) => ({
  cost:
    site.overloadId === "cidr_contains_ip_string"
      ? addEstimates(comparedAddresses, pass(sizeOf(site.args[0]!, site)))
      : comparedAddresses,
});

const containsCidr: Estimator = (site) => {
  const cost = addEstimates(comparedAddresses, pass(address), fixed(1));
  return {
    cost:
      site.overloadId === "cidr_contains_cidr_string"
        ? addEstimates(cost, pass(sizeOf(site.args[0]!, site)))
        : cost,
  };
};

/** Longest pattern behind a named format. */
const maxFormatPattern = 128;
const maxFormatText = 64;

const validate: Estimator = (site) =>
  site.args[0]
    ? { cost: scaleEstimate(pass(sizeOf(site.args[0], site)), maxFormatPattern * patternFactor) }
    : undefined;

const selector: Estimator = (site) => {
  if (site.args.length !== 1) return undefined;
  const size = sizeOf(site.args[0]!, site);
  return {
    cost: addEstimates(
      fixed(listCost),
      pass(size),
      scaleEstimate(scaleEstimate(size, 0.5), listCost + structCost),
    ),
  };
};

const unitEquality: ReadonlySet<string> = new Set([
  "net.IP",
  "net.CIDR",
  "kubernetes.Quantity",
  "kubernetes.Semver",
  "kubernetes.authorization.Authorizer",
  "kubernetes.authorization.PathCheck",
  "kubernetes.authorization.GroupCheck",
  "kubernetes.authorization.ResourceCheck",
  "kubernetes.authorization.Decision",
]);

/** `==` on library types; all other types are compared by size. */
const libraryEquality: Estimator = ({ args: [left, right] }) => {
  if (!left || !right || !sameType(left.type, right.type)) return undefined;
  const { name } = left.type;
  if (unitEquality.has(name)) return { cost: fixed(1) };
  if (name === "kubernetes.NamedFormat") return { cost: pass({ min: 1, max: maxFormatText }) };
  if (name === "kubernetes.URL") return { cost: pass({ min: 1, max: right.size?.max ?? 1 }) };
  return undefined;
};

const constants = [
  "serviceAccount",
  "path",
  "group",
  "resource",
  "subresource",
  "namespace",
  "name",
  "allowed",
  "reason",
  "error",
  "errored",
  "masked",
  "prefixLength",
  "family",
  "isUnspecified",
  "isLoopback",
  "isLinkLocalMulticast",
  "isLinkLocalUnicast",
  "isGlobalUnicast",
  "format.named",
  "sign",
  "asInteger",
  "isInteger",
  "asApproximateFloat",
  "isGreaterThan",
  "isLessThan",
  "compareTo",
  "add",
  "sub",
  "major",
  "minor",
  "patch",
  "getScheme",
  "getHostname",
  "getHost",
  "getPort",
  "getEscapedPath",
  "getQuery",
];

const byFunction: Readonly<Record<string, Estimator>> = {
  ...Object.fromEntries(constants.map((name) => [name, one])),
  check: () => ({ cost: fixed(350_000) }),
  fieldSelector: selector,
  labelSelector: selector,
  isSorted: everyItem,
  sum: everyItem,
  max: everyItem,
  min: everyItem,
  indexOf: everyItem,
  lastIndexOf: everyItem,
  url: sameSize,
  "jsonpatch.escapeKey": sameSize,
  lowerAscii: targetSameSize,
  upperAscii: targetSameSize,
  substring: targetSameSize,
  trim: targetSameSize,
  replace,
  split,
  join,
  find: search,
  findAll: search,
  cidr: argument,
  isIP: argument,
  isCIDR: argument,
  quantity: argument,
  isQuantity: argument,
  semver: argument,
  isSemver: argument,
  ip: (site) => (site.overloadId === "cidr_ip" ? { cost: fixed(1) } : argument(site)),
  "ip.isCanonical": argumentTwice,
  containsIP: containsIp,
  containsCIDR: containsCidr,
  validate,
  "_==_": libraryEquality,
};

const size = (node: CostNode | undefined): Estimate => node?.size ?? unknownSize;

/** The shorter of two texts is what a comparison looks at. */
const shorter: Estimator = ({ args }) => {
  const max = Math.min(size(args[0]).max, size(args[1]).max);
  return { cost: pass({ min: max > 0 ? 1 : 0, max }) };
};

const concatenation: Estimator = ({ args }) => {
  const resultSize = addEstimates(size(args[0]), size(args[1]));
  return { cost: pass(resultSize), resultSize };
};

const affix: Estimator = ({ args }) => ({ cost: pass(size(args[0])) });

/** A list of so many items is made. */
const allocate = (listSize: Estimate, factor: number): CallEstimate => ({
  cost: addEstimates(scaleEstimate(listSize, factor), fixed(1 + listCost)),
  resultSize: listSize,
});

function literalInt(node: CostNode | undefined, otherwise: number): number {
  if (
    node?.expr?.kind !== "literal" ||
    (typeof node.expr.value !== "number" && typeof node.expr.value !== "bigint")
  )
    return otherwise;
  return Math.max(0, Number(node.expr.value));
}

const slice: Estimator = (site) => {
  const max = sizeOf(site.target!, site).max;
  const span = literalInt(site.args[1], max) - literalInt(site.args[0], 0);
  return allocate(fixed(span < 0 ? unbounded : span), 1);
};

const selfComparison = (node: CostNode, site: CallSite, factor: number): CallEstimate =>
  allocate(multiplyEstimates(sizeOf(node, site), sizeOf(node, site)), factor);
const sets =
  (factor: number): Estimator =>
  (site) => ({
    cost: addEstimates(
      scaleEstimate(
        multiplyEstimates(sizeOf(site.args[0]!, site), sizeOf(site.args[1]!, site)),
        factor,
      ),
      fixed(1),
    ),
  });

const sorting: Readonly<Record<string, Estimator>> = Object.fromEntries(
  [
    ["int", 2],
    ["uint", 2],
    ["double", 2],
    ["bool", 2],
    ["google.protobuf.Duration", 2],
    ["google.protobuf.Timestamp", 2],
    ["string", 2 + traversal],
    ["bytes", 2 + traversal],
  ].flatMap(([name, factor]) => [
    [`list_${name}_sort`, (site: CallSite) => selfComparison(site.target!, site, factor as number)],
    [
      `list_${name}_sortByAssociatedKeys`,
      (site: CallSite) => selfComparison(site.args[0]!, site, factor as number),
    ],
  ]),
);

const comparisons = ["less", "less_equals", "greater", "greater_equals"].flatMap((verb) => [
  `${verb}_string`,
  `${verb}_bytes`,
]);

const byOverload: Readonly<Record<string, Estimator>> = {
  ...sorting,
  list_slice: slice,
  lists_range: ({ args }) => allocate(fixed(literalInt(args[0], unbounded)), 1),
  list_reverse: (site) => allocate(sizeOf(site.target!, site), 1),
  list_flatten: (site) => allocate(sizeOf(site.target!, site), 1),
  list_flatten_int: (site) =>
    allocate(sizeOf(site.target!, site), literalInt(site.args[0], unbounded)),
  list_distinct: (site) => selfComparison(site.target!, site, 2),
  list_sets_contains_list: sets(1),
  list_sets_intersects_list: sets(1),
  list_sets_equivalent_list: sets(2),
  ...Object.fromEntries([...comparisons, "equals", "not_equals"].map((id) => [id, shorter])),
  string_format: ({ target }) => ({ cost: pass(size(target)) }),
  string_to_bytes: ({ args }) => ({
    cost: pass(size(args[0])),
    resultSize: multiplyEstimates(size(args[0]), { min: 1, max: 4 }),
  }),
  bytes_to_string: ({ args }) => ({
    cost: pass(size(args[0])),
    resultSize: { min: Math.floor(size(args[0]).min / 4), max: size(args[0]).max },
  }),
  strings_quote: ({ args }) => ({
    cost: pass(size(args[0])),
    resultSize: addEstimates(multiplyEstimates(size(args[0]), { min: 1, max: 2 }), fixed(2)),
  }),
  starts_with_string: affix,
  ends_with_string: affix,
  in_list: ({ args }) => ({ cost: size(args[1]) }),
  matches_string: ({ target, args }) => ({ cost: patternCost(size(target), size(args[0])) }),
  contains_string: ({ target, args }) => ({
    cost: multiplyEstimates(pass(size(target)), pass(size(args[0]))),
  }),
  add_list: ({ args }) => ({
    cost: fixed(1),
    resultSize: addEstimates(size(args[0]), size(args[1])),
  }),
  add_string: concatenation,
  add_bytes: concatenation,
};
