// Which kinds share an informer.
import { viewId } from "../../api/fields-kind.ts";
import type { Kind } from "../../api/kind.ts";

/** Equal for kinds that share an informer: whole objects, and parts of them, do not. */
export function informerId(kind: Kind): string {
  return `${kind.apiVersion}/${kind.kind}#${viewId(kind)}`;
}
