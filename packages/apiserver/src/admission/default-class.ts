// The class that stands in where none was chosen: of those that an annotation marks as default, the
// newest.
// Upstream: k8s.io/kubernetes/pkg/volume/util/storageclass.go,
// plugin/pkg/admission/network/defaultingressclass/admission.go.
import type { JsonObject } from "homeostat/api";
import { textMapAt, stringAt } from "../apimachinery/meta/read-fields.ts";
import { metadataOf } from "../apimachinery/meta/read-meta.ts";

/**
 * The name of the default; the first by name among those of one second. `classes` come in order of
 * their names.
 */
export function defaultClassName(
  classes: readonly JsonObject[],
  annotations: readonly string[],
): string | undefined {
  const marked = classes.filter((each) =>
    annotations.some(
      (annotation) => textMapAt(metadataOf(each), "annotations")[annotation] === "true",
    ),
  );
  const age = (each: JsonObject): string => stringAt(metadataOf(each), "creationTimestamp");
  const newest = marked.toSorted((a, b) => (age(a) === age(b) ? 0 : age(a) < age(b) ? 1 : -1))[0];
  return newest && stringAt(metadataOf(newest), "name");
}
