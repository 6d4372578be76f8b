// The text of a written object where the cache holds it: a remembered write then costs no memory of
// its own while its object stays as it was written.
import { formatObjectKey } from "../../api/gvk.ts";
import type { Informer } from "../../cache/informer.ts";
import type { CompletedWrite } from "../../client/client.ts";
import { writtenRevision } from "../../client/completed-write.ts";
import { kindId } from "../echo/run-record.ts";

/** The text of the written revision; undefined where this informer does not hold it whole. */
export function cachedText(
  informer: Pick<Informer, "kind" | "entry">,
  write: CompletedWrite,
): string | undefined {
  if (kindId(informer.kind) !== kindId(write.kind)) return undefined;
  const entry = informer.entry(formatObjectKey(write.key));
  return entry && entry.resourceVersion === writtenRevision(write) ? entry.text : undefined;
}
