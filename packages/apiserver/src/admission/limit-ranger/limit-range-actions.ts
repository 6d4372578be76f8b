// What a LimitRange does to a pod and asks of it: defaults with an annotation that tells of them,
// minimum, maximum, and the ratio of limit to request. Pure.
// Upstream: k8s.io/kubernetes/plugin/pkg/admission/limitranger/admission.go.
import { type Decoded, compareBytewise } from "homeostat/api";
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  Pod,
} from "homeostat/k8s/core/v1";
import { metadataOf } from "../../apimachinery/meta/read-meta.ts";
import {
  formatQuantity,
  parseQuantity,
  type Quantity,
} from "../../apimachinery/values/quantity.ts";
import {
  type ResourceBound,
  type ResourceSum,
  sumContainers,
} from "../../kinds/core/resources/resource-lists.ts";
import { formatRatio } from "./format-ratio.ts";

type Amounts = Readonly<Record<string, string>>;

const annotation = "kubernetes.io/limit-ranger";
const milli = 1_000_000n;
const nano = 1_000_000_000n;
/** The largest value of which Go can count thousandths. */
const maxMilliValue = ((1n << 63n) - 1n) / 1000n;

/** Gives the containers of a pod what they lack, in place. */
export function setDefaults(range: Decoded<LimitRange>, pod: Decoded<Pod>): void {
  const defaults = { requests: {} as Amounts, limits: {} as Amounts };
  for (const item of range.spec?.limits ?? []) {
    if (item.type !== "Container") continue;
    defaults.requests = { ...defaults.requests, ...item.defaultRequest };
    defaults.limits = { ...defaults.limits, ...item.default };
  }
  const told: string[] = [];
  const fill = (container: Decoded<Container>, role: string): void => {
    for (const bound of ["requests", "limits"] as const) {
      const names = fillBound(container, bound, defaults[bound]);
      if (names.length)
        told.push(`${names.join(", ")} ${bound.slice(0, -1)} for ${role} ${container.name}`);
    }
  };
  for (const container of pod.spec?.containers ?? []) fill(container, "container");
  for (const container of pod.spec?.initContainers ?? []) fill(container, "init container");
  if (!told.length) return;
  const metadata = metadataOf(pod);
  metadata.annotations = {
    ...metadata.annotations,
    [annotation]: `LimitRanger plugin set: ${told.join("; ")}`,
  };
}

/** The names that were missing, sorted. */
function fillBound(
  container: Decoded<Container>,
  bound: ResourceBound,
  defaults: Amounts,
): readonly string[] {
  const given = container.resources?.[bound] ?? {};
  const missing = Object.keys(defaults).filter((name) => !(name in given));
  if (!missing.length) return [];
  const added = Object.fromEntries(missing.map((name) => [name, defaults[name]!]));
  container.resources = { ...container.resources, [bound]: { ...given, ...added } };
  return missing.toSorted(compareBytewise);
}

/** What a pod violates. */
export function podFaults(range: Decoded<LimitRange>, { spec }: Decoded<Pod>): readonly string[] {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return (range.spec?.limits ?? []).flatMap((item) => {
    if (item.type === "Container")
      return containers.flatMap(({ resources }) =>
        boundFaults(item, toSum(resources?.requests), toSum(resources?.limits)),
      );
    if (item.type !== "Pod") return [];
    return boundFaults(item, podSum(spec ?? {}, "requests"), podSum(spec ?? {}, "limits"));
  });
}

/** What a claim violates; only its requests count. */
export function claimFaults(
  range: Decoded<LimitRange>,
  { spec }: Decoded<PersistentVolumeClaim>,
): readonly string[] {
  const requests = toSum(spec?.resources?.requests);
  const items = range.spec?.limits ?? [];
  return items
    .filter(({ type }) => type === "PersistentVolumeClaim")
    .flatMap(({ type, min, max }) => [
      ...each(min, (name, bound) => minFault(at(type, name, bound), requests.get(name))),
      ...each(max, (name, bound) => maxRequestFault(at(type, name, bound), requests.get(name))),
    ]);
}

/** Sums of the containers; requests and limits of cpu and memory of the whole pod replace them. */
function podSum(spec: Decoded<NonNullable<Pod["spec"]>>, bound: ResourceBound): ResourceSum {
  const sum = sumContainers(spec, bound);
  for (const [name, text] of Object.entries(spec.resources?.[bound] ?? {}))
    if (name === "cpu" || name === "memory") sum.set(name, parseQuantity(text));
  return sum;
}

function toSum(amounts: Amounts | null | undefined): ResourceSum {
  return new Map(Object.entries(amounts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

function boundFaults(
  { type, min, max, maxLimitRequestRatio }: Decoded<LimitRangeItem>,
  requests: ResourceSum,
  limits: ResourceSum,
): readonly string[] {
  const check =
    (fault: (rule: Rule, request?: Quantity, limit?: Quantity) => string | undefined) =>
    (name: string, bound: string): string | undefined =>
      fault(at(type, name, bound), requests.get(name), limits.get(name));
  return [
    ...each(min, check(minFault)),
    ...each(max, check(maxFault)),
    ...each(maxLimitRequestRatio, check(ratioFault)),
  ];
}

/** One bound of one resource. */
interface Rule {
  readonly type: string;
  readonly name: string;
  readonly bound: Quantity;
}

const at = (type: string | null | undefined, name: string, bound: string): Rule => ({
  type: type ?? "",
  name,
  bound: parseQuantity(bound),
});

/** Upstream's order is that of a Go map: by chance. */
function each(
  amounts: Amounts | null | undefined,
  fault: (name: string, bound: string) => string | undefined,
): readonly string[] {
  return Object.entries(amounts ?? {})
    .toSorted(([a], [b]) => compareBytewise(a, b))
    .flatMap(([name, bound]) => fault(name, bound) ?? []);
}

const zero: Quantity = { nano: 0n, format: "DecimalSI" };

/** Whole units, or thousandths where all three fit, each rounded up. */
function valuesOf(
  request: Quantity = zero,
  limit: Quantity = zero,
  bound: Quantity = zero,
): readonly [request: bigint, limit: bigint, bound: bigint] {
  const countIn = (unit: bigint): [bigint, bigint, bigint] => [
    ceil(request.nano, unit),
    ceil(limit.nano, unit),
    ceil(bound.nano, unit),
  ];
  const whole = countIn(nano);
  return whole.every((value) => value <= maxMilliValue) ? countIn(milli) : whole;
}

const ceil = (amount: bigint, unit: bigint): bigint =>
  amount > 0n ? (amount + unit - 1n) / unit : amount / unit;

function minFault({ type, name, bound }: Rule, request?: Quantity, limit?: Quantity) {
  const [requested, limited, least] = valuesOf(request, limit, bound);
  const rule = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!request) return `${rule}.  No request is specified`;
  if (requested < least) return `${rule}, but request is ${formatQuantity(request)}`;
  if (limit && limited < least) return `${rule}, but limit is ${formatQuantity(limit)}`;
  return undefined;
}

function maxRequestFault({ type, name, bound }: Rule, request?: Quantity) {
  const [requested, , most] = valuesOf(request, zero, bound);
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!request) return `${rule}.  No request is specified`;
  return requested > most ? `${rule}, but request is ${formatQuantity(request)}` : undefined;
}

function maxFault({ type, name, bound }: Rule, request?: Quantity, limit?: Quantity) {
  const [requested, limited, most] = valuesOf(request, limit, bound);
  const rule = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (limited > most) return `${rule}, but limit is ${formatQuantity(limit)}`;
  if (request && requested > most) return `${rule}, but request is ${formatQuantity(request)}`;
  return undefined;
}

function ratioFault({ type, name, bound }: Rule, request?: Quantity, limit?: Quantity) {
  const [requested, limited] = valuesOf(request, limit, bound);
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  if (requested === 0n) return `${rule}, but no request is specified or request is 0`;
  if (limited === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = Number(limited) / Number(requested);
  const whole = ceil(bound.nano, nano);
  const isTooHigh =
    whole <= maxMilliValue ? ratio * 1000 > Number(ceil(bound.nano, milli)) : ratio > Number(whole);
  return isTooHigh ? `${rule}, but provided ratio is ${formatRatio(ratio)}` : undefined;
}
