// Watches: all objects of a kind that a selection matches. Every change of one of them, its coming
// and going included, reconciles the sources whose selection matches it.
import type { Kind, ObjectOf } from "../../api/kind.ts";
import { dnsLabelFaults } from "../../api/selectors/syntax-rules.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions, unknownOptions } from "../../util/option-faults.ts";
import { dropPromise } from "../../util/refuse-promise.ts";
import type { Predicate } from "../predicates.ts";
import {
  type CompiledSelection,
  compileSelectionOf,
  type Fields,
  type Labels,
  type Selection,
} from "./selection.ts";

/** A value, or a pure function of the watching object. */
export type From<Source, T> = T | ((source: Source) => T | undefined);

/** Which objects a watch selects, and which of their updates count. */
export interface WatchOptions<Source, K extends Kind> {
  /**
   * Default, and for a function that returns undefined: all namespaces that the manager watches.
   */
  readonly namespace?: From<Source, string>;
  /** A function that returns undefined selects nothing, as an absent LabelSelector does. */
  readonly labels?: From<Source, Labels>;
  /** Compared in this process. A function that returns undefined selects nothing. */
  readonly fields?: From<Source, Fields>;
  /**
   * Drops updates of selected objects for which it returns false. Objects that appear, disappear,
   * or begin or cease to match always count.
   */
  readonly when?: Predicate<ObjectOf<K>>;
}

/** Declared by `watches`: `Source` watches objects of kind `K`. */
export interface Watch<Source, K extends Kind> {
  readonly target: K;
  readonly when: Predicate | undefined;
  /** The selection where it is the same for all sources. */
  readonly fixed: CompiledSelection | undefined;
  /** The selection of one source; undefined selects nothing. Pure. */
  readonly select: (source: Source) => Selection | undefined;
}

/**
 * Declares a watch of all objects that match: `watches: { apps: all(WebApp, { labels }) }`. Where
 * the manager needs no other objects of the kind, and all selections are equal and fixed, only
 * these are cached. @throws ERR_WATCH_SELECTION
 */
export function all<Source, K extends Kind>(
  target: K,
  options: WatchOptions<Source, K> = {},
): Watch<Source, K> {
  checkSelection(target, options);
  const { namespace, labels, fields, when } = options;
  const values = compileSelectionOf(target, {
    ...(typeof namespace === "function" ? {} : { namespace }),
    ...(typeof labels === "function" ? {} : { labels }),
    ...(typeof fields === "function" ? {} : { fields }),
  });
  const isFixed = [namespace, labels, fields].every(
    (one) => typeof one !== "function" && !dropPromise(one),
  );
  return {
    target,
    fixed: isFixed ? values : undefined,
    when: when as Predicate | undefined,
    select(source) {
      const selection = {
        namespace: valueOf(namespace, source),
        labels: valueOf(labels, source),
        fields: valueOf(fields, source),
      };
      const selectsNothing =
        (labels !== undefined && selection.labels === undefined) ||
        (fields !== undefined && selection.fields === undefined);
      return selectsNothing ? undefined : selection;
    },
  };
}

const known: readonly string[] = ["namespace", "labels", "fields", "when"];

/** The kind itself is checked with the controller's definition. */
function checkSelection(target: Kind | undefined, options: WatchOptions<any, any>): void {
  if (!isOptions(options))
    throw refusal(
      target,
      `its options are ${describeMissing(options)}, expected { ${known.join(", ")} }`,
      'pass an object, such as { labels: { app: "web" } }',
    );
  const { namespace, labels, fields } = options;
  const [unknown] = unknownOptions(options, known);
  if (unknown !== undefined) throw refusal(target, unknown, "correct its name");
  if (target?.scope === "Cluster" && namespace !== undefined)
    throw refusal(target, "it is cluster-scoped and has no namespace", "leave `namespace` out");
  const hint = "correct what the message names";
  if (!isAny(namespace, "string"))
    throw refusal(
      target,
      `namespace is ${describeValue(namespace)}, expected a string or a function`,
      hint,
    );
  const [fault] = typeof namespace === "string" ? dnsLabelFaults(namespace) : [];
  if (fault !== undefined)
    throw refusal(target, `the namespace '${namespace}' cannot exist: ${fault}`, hint);
  for (const [name, value] of Object.entries({ labels, fields }))
    if (!isAny(value, "string", "object") || value === null || Array.isArray(value))
      throw refusal(
        target,
        `${name} is ${describeValue(value)}, expected kubectl's text, values by key, or a function`,
        hint,
      );
}

const isAny = (value: unknown, ...types: readonly string[]): boolean =>
  ["undefined", "function", ...types].includes(typeof value);

const refusal = (target: Kind | undefined, problem: string, hint: string): HomeostatError =>
  new HomeostatError("ERR_WATCH_SELECTION", `watching ${target?.kind}: ${problem}`, { hint });

function valueOf<Source, T>(from: From<Source, T> | undefined, source: Source): T | undefined {
  if (typeof from !== "function") return from;
  return (from as (source: Source) => T | undefined)(source);
}
