// Keys of objects in the store: `group/resource/namespace/name`, with an empty namespace for
// cluster-scoped objects.
import { pathSegmentFaults } from "homeostat/api";
import { badRequestError, plainError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

/** The key that a request names; throws 400 for a name that could not be one. */
export function requestedKey(resource: ServedResource, namespace: string, name: string): string {
  assertPlainName(name);
  assertPlainPath(resource, namespace, `/${name}`);
  return storageKeyOf(resource, namespace, name);
}

/**
 * The prefix of the objects that a request is about; throws 500 for a namespace that could not be
 * one.
 */
export function requestedPrefix(resource: ServedResource, namespace: string): string {
  assertPlainPath(resource, namespace, "");
  return storagePrefixOf(resource, namespace);
}

/** Refuses a name that no object could have. Throws 400. */
export function assertName(name: string): void {
  if (!name) throw badRequestError("Name parameter required.");
  assertPlainName(name);
}

function assertPlainName(name: string): void {
  const faults = pathSegmentFaults(name);
  if (faults.length)
    throw badRequestError(`Name parameter invalid: ${quoteGo(name)}: ${faults.join(";")}`);
}

function assertPlainPath(resource: ServedResource, namespace: string, rest: string): void {
  if (namespace === "." || namespace === "..")
    throw plainError(`invalid key: ${quoteGo(`/${resource.etcdPrefix}/${namespace}${rest}`)}`);
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
export function splitStorageKey(key: string): {
  readonly namespace: string;
  readonly name: string;
} {
  const nameAt = key.lastIndexOf("/") + 1;
  const namespaceAt = key.lastIndexOf("/", nameAt - 2) + 1;
  return { namespace: key.slice(namespaceAt, nameAt - 1), name: key.slice(nameAt) };
}
