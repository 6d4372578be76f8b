// Which kinds need not be cached whole: those that controllers only watch, all by one selection of
// fixed values. Pure.
import { compareBytewise } from "../../api/encode-json.ts";
import type { Kind } from "../../api/kind.ts";
import { definitionOfKind } from "../../api/resource/definition-of-kind.ts";
import { type FieldRequirement, formatFieldSelector } from "../../api/selectors/field-selector.ts";
import { formatLabelSelector } from "../../api/selectors/label-selector.ts";
import type { InformerScope } from "../../cache/informer.ts";
import type { ControllerDefinition } from "../define-controller.ts";
import { kindId } from "../echo/run-record.ts";
import type { CompiledSelection } from "./selection.ts";

/** A kind of which the objects of one selection are cached. */
export interface NarrowKind {
  readonly kind: Kind;
  /** What the server selects by. The rest is compared in this process. */
  readonly selection: CompiledSelection;
}

/** The kinds whose caches are narrow now. */
export interface Narrowing {
  /** What is cached of a kind; undefined for all of it. */
  selectionOf(kind: Kind): CompiledSelection | undefined;
  /** Begins to cache all objects of a kind. */
  widen(kind: Kind): void;
}

/** The kinds to narrow, of all controllers of a manager. */
export function narrowKinds(definitions: readonly ControllerDefinition[]): readonly NarrowKind[] {
  const whole = new Set(definitions.flatMap(wholeKinds).map(kindId));
  const narrow = new Map<string, NarrowKind>();
  for (const { target: kind, fixed } of definitions.flatMap(watchesOf)) {
    const id = kindId(kind);
    const selection = fixed && selectable(kind, fixed);
    const known = narrow.get(id);
    if (!selection || (known && known.selection.id !== selection.id)) whole.add(id);
    else narrow.set(id, { kind, selection });
  }
  return [...narrow].filter(([id]) => !whole.has(id)).map(([, one]) => one);
}

const watchesOf = ({ watches }: ControllerDefinition) => Object.values(watches);

/** The kinds of which any object may be read. */
function wholeKinds({ kind, owns, refs, indexes, signals }: ControllerDefinition): readonly Kind[] {
  const targets = [...Object.values(refs), ...Object.values(indexes)].map(({ target }) => target);
  return [kind, ...owns, ...targets, ...signals.map(({ on }) => on)];
}

/** The part of a selection that the server can apply; undefined for none. */
function selectable(
  kind: Kind,
  { namespace, labels, fields }: CompiledSelection,
): CompiledSelection | undefined {
  const atServer = fields
    .filter(({ field }) => isSelectable(kind, field))
    .map(withoutDot)
    .toSorted((a, b) => compareBytewise(a.field, b.field));
  if (namespace === undefined && labels.length === 0 && atServer.length === 0) return undefined;
  const id = JSON.stringify([
    namespace ?? "",
    formatLabelSelector(labels),
    formatFieldSelector(atServer),
  ]);
  return { id, namespace, labels, fields: atServer };
}

function withoutDot(requirement: FieldRequirement): FieldRequirement {
  return { ...requirement, field: requirement.field.replace(/^\./, "") };
}

/** True for the fields of all kinds, and those that the definition declares. */
function isSelectable(kind: Kind, given: string): boolean {
  const field = given.replace(/^\./, "");
  if (field === "metadata.name") return true;
  if (field === "metadata.namespace") return kind.scope === "Namespaced";
  const definition = definitionOfKind(kind);
  return definition?.selectableFields.includes(`.${field}`) === true;
}

/** The scope of an informer that caches a selection. */
export function scopeOf({ namespace, labels, fields }: CompiledSelection): InformerScope {
  return {
    namespace,
    ...(labels.length > 0 ? { labelSelector: formatLabelSelector(labels) } : {}),
    ...(fields.length > 0 ? { fieldSelector: formatFieldSelector(fields) } : {}),
  };
}

/** True when every object that `wanted` matches is one that `cached` matches. */
export function covers(cached: CompiledSelection, wanted: CompiledSelection): boolean {
  const labels = new Set(wanted.labels.map((one) => formatLabelSelector([one])));
  const fields = new Set(wanted.fields.map((one) => formatFieldSelector([withoutDot(one)])));
  return (
    (cached.namespace === undefined || cached.namespace === wanted.namespace) &&
    cached.labels.every((one) => labels.has(formatLabelSelector([one]))) &&
    cached.fields.every((one) => fields.has(formatFieldSelector([one])))
  );
}
