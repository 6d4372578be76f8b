// Which objects of a kind a source watches: by namespace, labels and fields. Pure.
import { hasField, viewId } from "../../api/fields-kind.ts";
import { isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { Kind } from "../../api/kind.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import {
  type FieldSelector,
  formatFieldSelector,
  matchesFields,
  parseFieldSelector,
} from "../../api/selectors/field-selector.ts";
import {
  formatLabelSelector,
  type LabelOperator,
  type LabelSelector,
  matchesLabels,
  parseLabelSelector,
} from "../../api/selectors/label-selector.ts";
import { SelectorSyntaxError } from "../../api/selectors/selector-syntax-error.ts";
import { describeValue } from "../../util/describe-error.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import { describeMissing, isOptions } from "../../util/option-faults.ts";

type Values = Readonly<Record<string, string>>;

/** A LabelSelector of meta/v1, as it stands in specs. An empty one selects all objects. */
export interface LabelQuery {
  readonly matchLabels?: Values | undefined;
  readonly matchExpressions?:
    | readonly {
        readonly key: string;
        /** In, NotIn, Exists or DoesNotExist. */
        readonly operator: string;
        readonly values?: readonly string[] | undefined;
      }[]
    | undefined;
}

/** Labels to match: exact values, a LabelSelector, or kubectl's text such as `tier in (a,b)`. */
export type Labels = string | Values | LabelQuery;

/** Fields to match: exact values by path (`{ "spec.host": "a" }`), or kubectl's text. */
export type Fields = string | Values;

/** Objects of a kind. */
export interface Selection {
  /** Undefined for all namespaces. */
  readonly namespace?: string | undefined;
  readonly labels?: Labels | undefined;
  /** Compared in this process, so that the fields need not be selectable on the server. */
  readonly fields?: Fields | undefined;
}

/** A selection that is ready to match. */
export interface CompiledSelection {
  /** Equal for selections of the same objects. */
  readonly id: string;
  readonly namespace: string | undefined;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
}

/** Compiles a selection. @throws SelectorSyntaxError, ERR_WATCH_SELECTION */
export function compileSelection({ namespace, labels, fields }: Selection): CompiledSelection {
  for (const [name, given] of Object.entries({ labels, fields }))
    if (given !== undefined && typeof given !== "string" && !isOptions(given))
      throw new HomeostatError(
        "ERR_WATCH_SELECTION",
        `selecting objects: ${name} is ${describeMissing(given)}, expected values by name`,
        { hint: "pass an object or kubectl's text; leave it out to select all" },
      );
  refuseOtherValues({ labels, fields });
  const byLabel = toLabelSelector(labels);
  const byField = toFieldSelector(fields);
  const id = JSON.stringify([
    namespace ?? "",
    formatLabelSelector(byLabel),
    formatFieldSelector(byField),
  ]);
  return { id, namespace, labels: byLabel, fields: byField };
}

/** A number would match nothing, or be no text to escape. */
function refuseOtherValues(selection: Pick<Selection, "labels" | "fields">): void {
  for (const [name, given] of Object.entries(selection)) {
    if (!isOptions(given) || "matchLabels" in given || "matchExpressions" in given) continue;
    for (const [key, value] of Object.entries(given))
      if (typeof value !== "string")
        throw new HomeostatError(
          "ERR_WATCH_SELECTION",
          `selecting objects: ${key} of ${name} is ${describeMissing(value)}, expected a string`,
          { hint: "write the value as text: labels and fields are compared as text" },
        );
  }
}

/**
 * Compiles a selection of cached objects of a kind. @throws ERR_WATCH_SELECTION, also for fields
 * that these objects do not have
 */
export function compileSelectionOf(kind: Kind, selection: Selection): CompiledSelection {
  const compiled = compileNamed(kind, selection);
  const missing = compiled.fields.find(({ field }) => !hasField(kind, field.replace(/^\./, "")));
  if (missing)
    throw new HomeostatError(
      "ERR_WATCH_SELECTION",
      `selecting ${kind.kind} by "${missing.field}": only ${viewId(kind)} of it is cached`,
      { hint: "add the field to `fieldsOf`, or declare the kind itself" },
    );
  return compiled;
}

/** A selector that cannot be read names its kind and itself. */
function compileNamed(kind: Kind, selection: Selection): CompiledSelection {
  try {
    return compileSelection(selection);
  } catch (cause) {
    if (!(cause instanceof SelectorSyntaxError)) throw cause;
    const given = { labels: selection.labels, fields: selection.fields };
    const named = Object.entries(given).filter(([, value]) => value !== undefined);
    throw new HomeostatError(
      "ERR_WATCH_SELECTION",
      `selecting ${kind?.kind} by ${describeValue(Object.fromEntries(named))}: ${cause.message}`,
      { hint: "write labels and fields as kubectl takes them, or as values by key", cause },
    );
  }
}

/** True when the labels and fields of an object of the right namespace match. */
export function matchesSelection(
  { labels, fields }: CompiledSelection,
  read: () => KubeObject,
): boolean {
  if (labels.length === 0 && fields.length === 0) return true;
  const object = read();
  return (
    matchesLabels(labels, object.metadata.labels ?? {}) &&
    matchesFields(fields, (field) => fieldOf(object, field))
  );
}

function toLabelSelector(labels: Labels = {}): LabelSelector {
  if (typeof labels === "string") return parseLabelSelector(labels);
  if (!isQuery(labels)) return parseLabelSelector(equalities(labels));
  const { matchLabels = {}, matchExpressions = [] } = labels;
  return [
    ...parseLabelSelector(equalities(matchLabels)),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      operator: toOperator(operator),
      values: [...new Set(values)].sort(),
    })),
  ];
}

function isQuery(labels: Values | LabelQuery): labels is LabelQuery {
  const { matchLabels, matchExpressions } = labels as LabelQuery;
  return typeof matchLabels === "object" || Array.isArray(matchExpressions);
}

const equalities = (labels: Values): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function toOperator(operator: string): LabelOperator {
  const known = operators[operator];
  if (known) return known;
  throw new HomeostatError(
    "ERR_WATCH_SELECTION",
    `${JSON.stringify(operator)} is not a valid label selector operator`,
    { hint: "use In, NotIn, Exists or DoesNotExist" },
  );
}

function toFieldSelector(fields: Fields = {}): FieldSelector {
  if (typeof fields === "string") return parseFieldSelector(fields);
  return Object.entries(fields).map(([field, value]) => ({ field, operator: "=", value }));
}

/** The value at a path such as `spec.host`, as text; "" when it is missing. */
function fieldOf(object: KubeObject, field: string): string {
  let value: Json | undefined = object as unknown as JsonObject;
  for (const part of field.replace(/^\./, "").split(".")) {
    if (!isObject(value) || !Object.hasOwn(value, part)) return "";
    value = value[part];
  }
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
