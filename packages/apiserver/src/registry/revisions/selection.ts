// Label and field selectors on revisions; they match the indexed attributes without parsing.
import {
  exactField,
  type FieldSelector,
  type LabelSelector,
  matchesFields,
  matchesLabels,
} from "homeostat/api";
import type { Revision } from "../../storage/store.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { splitStorageKey, requestedPrefix, storageKeyOf } from "./storage-key.ts";
import { parseStored } from "./stored-json.ts";

/** The objects that a list or a watch covers. */
export interface Selection {
  /** All keys that may match start with this; equal to the key when one object is meant. */
  readonly prefix: string;
  /** The one key that may match, if the selectors name one. */
  readonly single: string | undefined;
  /** True when every object under the prefix matches. */
  readonly everything: boolean;
  matches(revision: Revision): boolean;
}

/** The selection of a request in `namespace` ("" for all). */
export function selectionOf(
  resource: ServedResource,
  namespace: string,
  labels: LabelSelector,
  fields: FieldSelector,
): Selection {
  const scope =
    namespace || (resource.namespaced ? (exactField(fields, "metadata.namespace") ?? "") : "");
  const name = exactField(fields, "metadata.name");
  const single =
    name !== undefined && (scope || !resource.namespaced)
      ? storageKeyOf(resource, scope, name)
      : undefined;
  const all = requestedPrefix(resource, scope);
  const prefix = single ?? all;
  if (!labels.length && !fields.length)
    return { prefix, single, everything: true, matches: everything };
  return {
    prefix,
    single,
    everything: false,
    matches: (revision) =>
      (!single || revision.key === single) &&
      matchesLabels(labels, revision.attributes.labels) &&
      matchesFieldsOf(resource, fields, revision),
  };
}

const everything = (): boolean => true;

function matchesFieldsOf(
  resource: ServedResource,
  fields: FieldSelector,
  revision: Revision,
): boolean {
  if (!fields.length) return true;
  const key = splitStorageKey(revision.key);
  return matchesFields(fields, (field) => {
    if (field === "metadata.name") return key.name;
    if (field === "metadata.namespace") return key.namespace;
    return selectable(resource, revision)[resource.fields.attributeName?.(field) ?? field] ?? "";
  });
}

/** The attributes at commit; extracted anew if the schema has changed since. */
function selectable(
  resource: ServedResource,
  revision: Revision,
): Readonly<Record<string, string>> {
  return revision.schemaEpoch === resource.schemaEpoch
    ? revision.attributes.fields
    : resource.fields.extract(parseStored(revision.bytes));
}
