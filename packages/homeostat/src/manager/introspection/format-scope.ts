// The scope of an informer, without what is not set.
import type { InformerScope } from "../../cache/index.ts";

export function formatScope(scope: InformerScope): object {
  const { namespace, labelSelector, fieldSelector, metadataOnly, fields } = scope;
  const entries = Object.entries({ namespace, labelSelector, fieldSelector, fields });
  const set = entries.filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(set), ...(metadataOnly ? { metadataOnly } : {}) };
}
