// Finds stored objects other than the one that a request names.
import type { JsonObject } from "homeostat/api";
import type { RequestScope } from "./request-scope.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { storageKeyOf } from "../revisions/storage-key.ts";
import { parseStored } from "../revisions/stored-json.ts";

/** A kind by its group and plural, in any version. */
export interface KindName {
  readonly group: string;
  readonly resource: string;
}

/** The first version of a kind that is served. */
export function findResource({ core }: RequestScope, kind: KindName): ServedResource | undefined {
  return core.catalog
    .all()
    .find((each) => each.group === kind.group && each.resource === kind.resource);
}

/** An object in its storage version, in the namespace of the request if its kind is namespaced. */
export function findStored(
  scope: RequestScope,
  kind: KindName,
  name: string,
): JsonObject | undefined {
  const resource = findResource(scope, kind);
  const revision =
    resource && scope.core.store.latest(storageKeyOf(resource, scope.namespace, name));
  return revision && parseStored(revision.bytes);
}
