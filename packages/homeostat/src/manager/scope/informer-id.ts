// Which kinds share an informer.
import type { Kind } from "../../api/kind.ts";
import { isMetadataKind } from "../../api/metadata-kind.ts";

/** Equal for kinds that share an informer: whole objects and their metadata do not. */
export function informerId(kind: Kind): string {
  return `${kind.apiVersion}/${kind.kind}${isMetadataKind(kind) ? "#metadata" : ""}`;
}
