// Keys of objects in the store: `group/resource/namespace/name`, with an empty namespace for cluster-scoped objects.
import { pathSegmentFaults } from "homeostat/api";
import { badRequestError } from "../api-errors.ts";
import { quoteGo } from "../field-error.ts";
import type { ServedResource } from "../served-resource.ts";

/** The key that a request names; throws 400 for a name that could not be one. */
export function requestedKey(resource: ServedResource, namespace: string, name: string): string {
  const faults = pathSegmentFaults(name);
  if (faults.length) throw badRequestError(`Name parameter invalid: ${quoteGo(name)}: ${faults.join(";")}`);
  return storageKeyOf(resource, namespace, name);
}

/** The key of one object. */
export function storageKeyOf(resource: ServedResource, namespace: string, name: string): string {
  return `${resource.storageKey}/${resource.namespaced ? namespace : ""}/${name}`;
}

/** The prefix of all objects of a kind, or of one namespace's. */
export function storagePrefixOf(resource: ServedResource, namespace: string): string {
  if (!resource.namespaced) return `${resource.storageKey}//`;
  return namespace ? `${resource.storageKey}/${namespace}/` : `${resource.storageKey}/`;
}

/** Namespace and name out of a key. */
export function splitStorageKey(key: string): { readonly namespace: string; readonly name: string } {
  const nameAt = key.lastIndexOf("/") + 1;
  const namespaceAt = key.lastIndexOf("/", nameAt - 2) + 1;
  return { namespace: key.slice(namespaceAt, nameAt - 1), name: key.slice(nameAt) };
}
