// Refuses definitions that no manager could run, where they are written.
import { viewId } from "../api/fields-kind.ts";
import type { Kind } from "../api/kind.ts";
import { isMetadataKind } from "../api/metadata-kind.ts";
import { describeValue } from "../util/describe-error.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../util/option-faults.ts";
import { isKind } from "../api/check-kind.ts";
import { checkDuration, checkOptionalFunction, checkReports } from "./check-values.ts";
import { kindId } from "./echo/run-record.ts";
import { checkPermissions } from "../api/permission.ts";
import type { Signal } from "./signals/signal.ts";

/** A definition before its types can be trusted. */
export interface UncheckedDefinition {
  readonly name?: unknown;
  readonly concurrency?: unknown;
  readonly timeout?: unknown;
  readonly when?: unknown;
  readonly resyncEvery?: unknown;
  readonly reads?: unknown;
  readonly permissions?: unknown;
  readonly signals?: unknown;
  readonly sources?: unknown;
  readonly backoff?: unknown;
  readonly retryRate?: unknown;
  readonly priority?: unknown;
  readonly fairBy?: unknown;
  readonly needLeaderElection?: unknown;
  readonly shardBy?: unknown;
  readonly owns?: unknown;
  readonly refs?: unknown;
  readonly watches?: unknown;
  readonly indexes?: unknown;
  readonly reconcile?: unknown;
  readonly finalize?: unknown;
  readonly fieldManager?: unknown;
  readonly finalizer?: unknown;
  readonly reports?: unknown;
}

const known = [
  "name",
  "concurrency",
  "timeout",
  "when",
  "resyncEvery",
  "reads",
  "permissions",
  "signals",
  "sources",
  "backoff",
  "retryRate",
  "priority",
  "fairBy",
  "needLeaderElection",
  "shardBy",
  "owns",
  "refs",
  "watches",
  "indexes",
  "reconcile",
  "finalize",
  "fieldManager",
  "finalizer",
  "reports",
] as const satisfies readonly (keyof UncheckedDefinition)[];

/** @throws ERR_CONTROLLER_DEFINITION with every problem of the definition */
export function checkDefinition(kind: Kind, given: UncheckedDefinition): void {
  const definition: UncheckedDefinition = isOptions(given) ? given : {};
  const { name, concurrency, timeout, owns, refs, reconcile, finalize } = definition;
  const problems = [
    ...(isOptions(given)
      ? []
      : [`its second argument is ${describeMissing(given)}, expected { reconcile }`]),
    ...checkOptionNames(definition),
    ...(isKind(kind) ? [] : ["its first argument is not a kind"]),
    ...checkWhole(kind, owns),
    ...(name === undefined || (typeof name === "string" && name !== "") ? [] : ["name is empty"]),
    ...checkText("fieldManager", definition.fieldManager),
    ...checkText("finalizer", definition.finalizer),
    ...checkReports(definition.reports),
    ...checkConcurrency(concurrency),
    ...checkDuration("timeout", timeout),
    ...checkDuration("resyncEvery", definition.resyncEvery),
    ...checkBackoff(definition.backoff),
    ...checkRate(definition.retryRate),
    ...checkFunction("priority", definition.priority),
    ...checkFairness(definition.fairBy),
    ...checkElected(definition.needLeaderElection),
    ...checkShardBy(definition.shardBy),
    ...checkSources(definition.sources),
    ...checkFunction("when", definition.when),
    ...checkOwns(owns),
    ...checkRefs(refs),
    ...checkWatches(definition.watches),
    ...checkReads(definition.reads),
    ...checkPermissions(definition.permissions),
    ...checkSignals(kind, definition),
    ...checkIndexes(kind, definition),
    ...(typeof reconcile === "function" ? [] : ["reconcile is not a function"]),
    ...checkFunction("finalize", finalize),
  ];
  if (problems.length > 0)
    throw new HomeostatError(
      "ERR_CONTROLLER_DEFINITION",
      `defining a controller of ${isKind(kind) ? kind.kind : describeValue(kind)}: ${problems.join("; ")}`,
      { hint: "correct what the message names" },
    );
}

/** An instance of a class may have fields of its own. */
function checkOptionNames(definition: UncheckedDefinition): readonly string[] {
  const isPlain = Object.getPrototypeOf(definition) === Object.prototype;
  return isPlain ? unknownOptions(definition, known) : [];
}

/** Misspelt members of an option. */
const unknownOf = (name: string, given: unknown, members: readonly string[]): readonly string[] =>
  isOptions(given) ? unknownOptions(given, members).map((fault) => `${name}.${fault}`) : [];

/** @throws ERR_CONTROLLER_DEFINITION for names that a scope does not have */
export function checkScope(kind: Kind, declared: unknown): void {
  const names = ["owns", "refs", "watches", "indexes"];
  const problems = isOptions(declared)
    ? unknownOptions(declared, names)
    : [`its second argument is ${describeMissing(declared)}, expected { ${names.join(", ")} }`];
  if (isKind(kind) && problems.length === 0) return;
  const named = isKind(kind) ? kind.kind : describeValue(kind);
  if (!isKind(kind)) problems.unshift("its first argument is not a kind");
  throw new HomeostatError(
    "ERR_CONTROLLER_DEFINITION",
    `defining a scope of ${named}: ${problems.join("; ")}`,
    { hint: "correct what the message names" },
  );
}

/** A controller reads and writes its own and its owned objects as a whole. */
function checkWhole(kind: Kind, owns: unknown): readonly string[] {
  const parts = [kind, ...(Array.isArray(owns) ? (owns as Kind[]) : [])].filter(
    (one) => isKind(one) && viewId(one) !== "",
  );
  return parts.map((one) => {
    const [made, more] = isMetadataKind(one) ? ["metadataOf", ""] : ["fieldsOf", ", …"];
    return `${made}(${one.kind}${more}) can only be referred to, watched or indexed`;
  });
}

function checkConcurrency(concurrency: unknown): readonly string[] {
  if (concurrency === undefined || (Number.isInteger(concurrency) && Number(concurrency) >= 1))
    return [];
  return [`concurrency is ${describeValue(concurrency)}, expected a whole number from 1`];
}

function checkBackoff(backoff: unknown): readonly string[] {
  if (backoff === undefined) return [];
  const { firstMs, maxMs } = (backoff ?? {}) as { firstMs?: unknown; maxMs?: unknown };
  const unknown = unknownOf("backoff", backoff, ["firstMs", "maxMs"]);
  if (unknown.length > 0) return unknown;
  if (Number.isFinite(maxMs) && Number(firstMs) > 0 && Number(maxMs) >= Number(firstMs)) return [];
  return ["backoff expects firstMs above 0 and maxMs not below it"];
}

function checkRate(rate: unknown): readonly string[] {
  if (rate === undefined) return [];
  const { qps, burst } = (rate ?? {}) as { qps?: unknown; burst?: unknown };
  const unknown = unknownOf("retryRate", rate, ["qps", "burst"]);
  if (unknown.length > 0) return unknown;
  if (Number.isFinite(qps) && Number(qps) > 0 && Number.isInteger(burst) && Number(burst) >= 1)
    return [];
  return ["retryRate expects qps above 0 and burst, a whole number from 1"];
}

function checkElected(needs: unknown): readonly string[] {
  if (needs === undefined || typeof needs === "boolean") return [];
  return [`needLeaderElection is ${describeValue(needs)}, expected true or false`];
}

function checkShardBy(by: unknown): readonly string[] {
  if (by === undefined || by === "object" || by === "namespace" || by === "controller") return [];
  return [`shardBy is ${describeValue(by)}, expected "object", "namespace" or "controller"`];
}

function checkFairness(fairBy: unknown): readonly string[] {
  if (fairBy === undefined || fairBy === "namespace") return [];
  return [`fairBy is ${describeValue(fairBy)}, expected "namespace"`];
}

function checkFunction(name: string, value: unknown): readonly string[] {
  return value === undefined || typeof value === "function" ? [] : [`${name} is not a function`];
}

function checkSources(sources: unknown = {}): readonly string[] {
  if (!isOptions(sources)) return ["sources is not an object"];
  return Object.entries(sources).flatMap(([name, value]) =>
    typeof value === "function" ? [] : [`${name} of sources is not a function`],
  );
}

function checkText(name: string, text: unknown): readonly string[] {
  if (text === undefined || (typeof text === "string" && text !== "")) return [];
  return [`${name} is ${describeValue(text)}, expected a string that is not empty`];
}

function checkOwns(owns: unknown = []): readonly string[] {
  if (!Array.isArray(owns) || !owns.every((one) => isKind(one)))
    return ["owns is not a list of kinds"];
  const names = owns.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  const twice = names.filter((one, i) => names.indexOf(one) !== i);
  return twice.map((one) => `owns lists ${one} twice`);
}

/** What `ref`, `refs` and `all` return, before its types can be trusted. */
interface UncheckedTarget {
  readonly target?: unknown;
  readonly select?: unknown;
  readonly when?: unknown;
}

function checkRefs(refs: unknown = {}): readonly string[] {
  if (!isOptions(refs)) return ["refs is not an object"];
  return Object.entries(refs as Readonly<Record<string, UncheckedTarget | undefined>>).flatMap(
    ([name, one]) => {
      if (!isOptions(one) || !Object.hasOwn(one, "many"))
        return [`refs.${name} is not made by ref(…) or refs(…)`];
      const { target, select, when } = one as UncheckedTarget;
      return [
        ...(isKind(target)
          ? []
          : [`refs.${name} refers to ${describeValue(target)}, expected a kind`]),
        ...(typeof select === "function"
          ? []
          : [`refs.${name} selects by ${describeValue(select)}, expected a function`]),
        ...checkOptionalFunction(`when of refs.${name}`, when),
      ];
    },
  );
}

function checkWatches(watches: unknown = {}): readonly string[] {
  if (!isOptions(watches)) return ["watches is not an object"];
  return Object.entries(watches as Readonly<Record<string, UncheckedTarget | undefined>>).flatMap(
    ([name, one]) => {
      if (!isOptions(one) || typeof one["select"] !== "function" || Object.hasOwn(one, "many"))
        return [`watches.${name} is not made by all(…)`];
      const { target, when } = one as UncheckedTarget;
      return [
        ...(isKind(target)
          ? []
          : [`watches.${name} watches ${describeValue(target)}, expected a kind`]),
        ...checkOptionalFunction(`when of watches.${name}`, when),
      ];
    },
  );
}

function checkSignals(kind: Kind, definition: UncheckedDefinition): readonly string[] {
  const { signals = [] } = definition;
  if (!Array.isArray(signals)) return ["signals is not a list"];
  const declared = declaredIds(kind, definition);
  return (signals as readonly (Partial<Signal> | undefined)[]).flatMap((one) => {
    if (!isKind(one?.on as Kind) || !one?.carrier)
      return ["signals lists what defineSignal(…) has not made"];
    const on = one.on as Kind;
    if (declared.has(kindId(on))) return [];
    return [`the signal ${one.name} is on ${on.kind}, which is not in owns, refs or watches`];
  });
}

/** The kinds that a definition declares, as far as they are kinds. */
function declaredIds(
  kind: Kind,
  { owns, refs, watches }: UncheckedDefinition,
): ReadonlySet<string> {
  const named = [...Object.values(refs ?? {}), ...Object.values(watches ?? {})];
  const targets = named.map((one: { readonly target?: unknown } | undefined) => one?.target);
  const declared: unknown[] = [kind, ...(Array.isArray(owns) ? owns : []), ...targets];
  return new Set(declared.filter((one) => isKind(one)).map(kindId));
}

function checkReads(reads: unknown = {}): readonly string[] {
  if (!isOptions(reads)) return ["reads is not an object"];
  const { kinds = [], labels = [], annotations = [] } = reads;
  const isList = (list: unknown, is: (one: unknown) => boolean): boolean =>
    Array.isArray(list) && list.every((one) => is(one));
  const isText = (one: unknown): boolean => typeof one === "string" && one !== "";
  return [
    ...unknownOf("reads", reads, ["kinds", "labels", "annotations"]),
    ...(isList(kinds, isKind) ? [] : ["reads.kinds is not a list of kinds"]),
    ...(isList(labels, isText) ? [] : ["reads.labels is not a list of keys"]),
    ...(isList(annotations, isText) ? [] : ["reads.annotations is not a list of keys"]),
  ];
}

function checkIndexes(kind: Kind, definition: UncheckedDefinition): readonly string[] {
  const { indexes = {} } = definition;
  if (!isOptions(indexes)) return ["indexes is not an object"];
  const declared = declaredIds(kind, definition);
  return Object.entries(
    indexes as Record<string, { target?: Kind; valuesOf?: unknown } | undefined>,
  ).flatMap(([name, one]) => {
    if (!isOptions(one) || !Object.hasOwn(one, "valuesOf"))
      return [`indexes.${name} is not made by index(…)`];
    const { target, valuesOf } = one;
    if (typeof valuesOf !== "function")
      return [`indexes.${name} indexes by ${describeValue(valuesOf)}, expected a function`];
    if (!isKind(target)) return [`indexes.${name} is of ${describeValue(target)}, expected a kind`];
    if (declared.has(kindId(target))) return [];
    return [`indexes.${name} is of ${target.kind}, which is not in owns, refs or watches`];
  });
}
