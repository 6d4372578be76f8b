// Removes duplicate owner references with a warning.
// Upstream: k8s.io/apiserver/pkg/endpoints/handlers/rest.go (dedupOwnerReferences).
import { type Decoded, equalJson, type Json, type JsonObject } from "homeostat/api";
import type { OwnerReference } from "homeostat/k8s/meta/v1";
import { metadataOf, metaList } from "./read-meta.ts";

/** Removes duplicates; the warning names their uids. */
export function dedupeOwnerReferences(
  object: JsonObject,
  when: "" | " after mutating admission happens",
  warn: (text: string) => void,
): void {
  const references = metaList(object, "ownerReferences");
  if (references.length < 2) return;
  const kept: Json[] = [];
  const repeated: string[] = [];
  for (const reference of references) {
    if (kept.some((other) => equalJson(other, reference)))
      repeated.push(String((reference as JsonObject).uid ?? ""));
    else kept.push(reference);
  }
  if (!repeated.length) return;
  metadataOf(object).ownerReferences = kept as Decoded<OwnerReference>[];
  warn(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}
