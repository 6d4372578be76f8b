// Keys of objects in the store: `group/resource/namespace/name`, with an empty namespace for cluster-scoped objects.
import type { ServedResource } from "../served-resource.ts";

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
