// The selectors of an informer's scope, applied to written objects.
import type { JsonObject } from "../api/json.ts";
import { parseFieldSelector, matchesFields } from "../api/selectors/field-selector.ts";
import { parseLabelSelector, matchesLabels } from "../api/selectors/label-selector.ts";
import type { InformerScope } from "./informer.ts";

/**
 * Returns whether a written object matches the scope; undefined for field selectors that only the
 * server can evaluate.
 */
export function compileSelection({
  labelSelector,
  fieldSelector,
}: InformerScope): (object: JsonObject) => boolean | undefined {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  const fields = fieldSelector ? parseFieldSelector(fieldSelector) : undefined;
  const evaluable =
    fields?.every(({ field }) => field === "metadata.name" || field === "metadata.namespace") ??
    true;
  return (object) => {
    const metadata = object["metadata"] as {
      readonly name: string;
      readonly namespace?: string;
      readonly labels?: Record<string, string>;
    };
    if (labels && !matchesLabels(labels, metadata.labels ?? {})) return false;
    if (!evaluable) return undefined;
    return (
      !fields ||
      matchesFields(fields, (field) =>
        field === "metadata.name" ? metadata.name : (metadata.namespace ?? ""),
      )
    );
  };
}
