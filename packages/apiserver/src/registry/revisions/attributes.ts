// The attributes that the store indexes, so that selectors and garbage collection need not parse.
// Upstream: k8s.io/apiserver/pkg/storage/selection_predicate.go (AttrFunc).
import { isObject, type JsonObject } from "homeostat/api";
import type { ObjectAttributes } from "../../storage/store.ts";
import {
  finalizersOf,
  isDeleting,
  metaList,
  metaMap,
  metaNumber,
  metaString,
} from "../../apimachinery/meta/read-meta.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";

/** The attributes of a storage-version object. */
export function attributesOf(resource: ServedResource, object: JsonObject): ObjectAttributes {
  return {
    uid: metaString(object, "uid"),
    generation: metaNumber(object, "generation") ?? 0,
    labels: { ...metaMap(object, "labels") },
    fields: resource.fields.extract(object),
    owners: metaList(object, "ownerReferences").map((reference) => ({
      uid: isObject(reference) && typeof reference.uid === "string" ? reference.uid : "",
    })),
    finalizers: [...finalizersOf(object)],
    deleting: isDeleting(object),
  };
}
