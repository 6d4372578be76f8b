// Finds who has changed what this controller wrote, from the state that it wrote and a later one.
// Only a manager whose entry in managedFields has changed in between is named. Pure.
import { equalJson, isObject, type Json, type JsonObject } from "../../api/json.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import {
  comparedFields,
  differingFields,
  entriesOf,
  isOf,
  type ManagedEntry,
  writtenFields,
} from "./written-fields.ts";

/** Another writer of the same fields. */
export interface Rival {
  /** The fields that it has changed, e.g. `spec.replicas`; the first ones. */
  readonly fields: readonly string[];
  /** Its field managers; empty when managedFields show none. */
  readonly managers: readonly string[];
  /** Set when it writes with this controller's field manager. */
  readonly isNamesake?: true;
}

const fieldsNamed = 5;

/**
 * The writer that has made `theirs` of `ours`, which `manager` wrote before; undefined when the
 * fields of `manager` are the same in both.
 */
export function rivalOf(ours: KubeObject, theirs: KubeObject, manager: string): Rival | undefined {
  const isWritten = entriesOf(ours).some((entry) => isOf(manager, entry));
  const fields = differingFields(
    comparedFields(ours, manager),
    isWritten ? writtenFields(ours, manager, theirs) : comparedFields(theirs, manager),
  );
  if (fields.length === 0) return undefined;
  const changed = entriesOf(theirs).filter((entry) => hasChanged(ours, entry));
  const others = changed.filter((entry) => !isOf(manager, entry));
  const takers = others.filter((entry) => ownsAny(entry, fields));
  if (takers.length > 0) {
    const taken = fields.filter((field) => takers.some((entry) => ownsAny(entry, [field])));
    return rival(taken, takers);
  }
  const own = entriesOf(theirs).filter((entry) => isOf(manager, entry));
  const kept = fields.filter((field) => own.some((entry) => ownsAny(entry, [field])));
  if (kept.length > 0) return { ...rival(kept, []), managers: [manager], isNamesake: true };
  // The fields are gone: a remover owns none of them, and has a later time.
  return rival(
    fields,
    others.filter((entry) => isLater(ours, entry)),
  );
}

const rival = (fields: readonly string[], entries: readonly ManagedEntry[]): Rival => ({
  fields: fields.slice(0, fieldsNamed),
  managers: [...new Set(entries.flatMap(({ manager }) => manager ?? []))],
});

/** True when both have changed one field, as the same manager. */
export const isSameRival = (one: Rival, other: Rival): boolean =>
  one.managers.some((manager) => other.managers.includes(manager)) &&
  one.fields.some((field) => other.fields.includes(field));

/** The entry of the same writer in an earlier state. */
const earlier = (ours: KubeObject, entry: ManagedEntry): ManagedEntry | undefined =>
  entriesOf(ours).find(
    (one) =>
      one.manager === entry.manager &&
      one.operation === entry.operation &&
      one.subresource === entry.subresource,
  );

const hasChanged = (ours: KubeObject, entry: ManagedEntry): boolean =>
  !equalJson(entry as Json, earlier(ours, entry) as Json | undefined);

const isLater = (ours: KubeObject, entry: ManagedEntry): boolean =>
  (entry.time ?? "") > (earlier(ours, entry)?.time ?? "");

const ownsAny = ({ fieldsV1 = {} }: ManagedEntry, fields: readonly string[]): boolean =>
  fields.some((field) => owns(fieldsV1, field.split(".")));

/** Names in a path may have dots themselves, e.g. `data.app.yaml`. */
function owns(fields: Json | undefined, path: readonly string[]): boolean {
  if (path.length === 0) return true;
  if (!isObject(fields)) return false;
  return path.some((_, i) => {
    const next = (fields as JsonObject)[`f:${path.slice(0, i + 1).join(".")}`];
    return next !== undefined && owns(next, path.slice(i + 1));
  });
}
