// Reads the objects of selections from the cache, ordered by key.
import { compareBytewise } from "../../api/encode-json.ts";
import { formatObjectKey } from "../../api/gvk.ts";
import type { KubeObject } from "../../api/object-meta.ts";
import { type CompiledSelection, matchesSelection } from "./selection.ts";

/** The part of an informer that selecting needs. */
export interface SelectableInformer {
  list(options?: { readonly namespace?: string | undefined }): readonly unknown[];
}

/** The objects that any of the selections matches, each once. */
export function selectObjects(
  informer: SelectableInformer | undefined,
  selections: readonly CompiledSelection[],
): readonly KubeObject[] {
  const found = new Map<string, KubeObject>();
  for (const selection of selections) {
    const objects = (informer?.list({ namespace: selection.namespace }) ??
      []) as readonly KubeObject[];
    for (const object of objects)
      if (matchesSelection(selection, () => object))
        found.set(formatObjectKey(object.metadata), object);
  }
  return [...found].sort(([a], [b]) => compareBytewise(a, b)).map(([, object]) => object);
}
