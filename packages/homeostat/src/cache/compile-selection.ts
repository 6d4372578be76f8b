// The selectors of an informer's scope, applied to written objects.
import { parseFieldSelector, matchesFields } from "../api/selectors/field-selector.ts";
import { parseLabelSelector, matchesLabels } from "../api/selectors/label-selector.ts";
import type { CompletedWrite } from "../client/client.ts";
import { writtenMetadata } from "../client/completed-write.ts";
import type { InformerScope } from "./informer.ts";

/**
 * Returns whether a written object matches the scope; undefined for field selectors that only the
 * server can evaluate.
 */
export function compileSelection({
  labelSelector,
  fieldSelector,
}: InformerScope): (write: CompletedWrite) => boolean | undefined {
  const labels = labelSelector ? parseLabelSelector(labelSelector) : undefined;
  const fields = fieldSelector ? parseFieldSelector(fieldSelector) : undefined;
  const evaluable =
    fields?.every(({ field }) => field === "metadata.name" || field === "metadata.namespace") ??
    true;
  return (write) => {
    if (labels && !matchesLabels(labels, labelsOf(write))) return false;
    if (!evaluable) return undefined;
    return (
      !fields ||
      matchesFields(fields, (field) =>
        field === "metadata.name" ? write.key.name : (write.key.namespace ?? ""),
      )
    );
  };
}

function labelsOf(write: CompletedWrite): Readonly<Record<string, string>> {
  return (writtenMetadata(write)?.["labels"] ?? {}) as Readonly<Record<string, string>>;
}
