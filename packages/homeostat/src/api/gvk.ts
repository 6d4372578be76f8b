// Names in the API: group, version, kind, resource. A kind is not a resource: `Pod`, `pods`.
import { argumentError } from "../util/argument-error.ts";
import { checkArgument } from "../util/call-options.ts";
import { isOptions } from "../util/option-faults.ts";

/** Group, version and kind; the legacy group is "". */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** What a resource is called beside its plural, and the categories that list it. */
export interface ResourceNames {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
}

/** Formats the `apiVersion` of an object, e.g. `apps/v1`, `v1`. */
export function formatApiVersion(gv: { readonly group: string; readonly version: string }): string {
  if (!isOptions(gv))
    throw argumentError("formatApiVersion(…)", gv, "an object with group and version");
  return gv.group ? `${gv.group}/${gv.version}` : gv.version;
}

/** Parses `apps/v1` or `v1`; undefined if there are more than two parts. */
export function parseApiVersion(
  apiVersion: string,
): { readonly group: string; readonly version: string } | undefined {
  checkArgument("parseApiVersion(…)", ["its argument", apiVersion], "a string");
  const parts = apiVersion.split("/");
  if (parts.length > 2) return undefined;
  return parts.length === 2
    ? { group: parts[0]!, version: parts[1]! }
    : { group: "", version: parts[0]! };
}

/** The key of an object within its kind: `namespace/name`, or `name` without a namespace. */
export function formatObjectKey(object: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  if (!isOptions(object))
    throw argumentError("formatObjectKey(…)", object, "an object with a name");
  return object.namespace ? `${object.namespace}/${object.name}` : object.name;
}
