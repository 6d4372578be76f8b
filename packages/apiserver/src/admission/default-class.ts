// The default class of an object that names none: the newest class that an annotation marks as
// default.
// Upstream: k8s.io/kubernetes/pkg/volume/util/storageclass.go,
// plugin/pkg/admission/network/defaultingressclass/admission.go.
import { compareBytewise } from "homeostat/api";
import type { DecodedObject } from "../apimachinery/meta/read-meta.ts";

/**
 * The name of the default class; of classes created in the same second the first. `classes` are in
 * the order of their names.
 */
export function defaultClassName(
  classes: readonly DecodedObject[],
  annotations: readonly string[],
): string | undefined {
  const marked = classes.filter(({ metadata }) =>
    annotations.some((annotation) => metadata?.annotations?.[annotation] === "true"),
  );
  const createdAt = ({ metadata }: DecodedObject): string => metadata?.creationTimestamp ?? "";
  const [newest] = marked.toSorted((a, b) => compareBytewise(createdAt(b), createdAt(a)));
  return newest && (newest.metadata?.name ?? "");
}
