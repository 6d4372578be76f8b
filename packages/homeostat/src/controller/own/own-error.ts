// Errors of own(): each names the owner and the kind that it owns.
import { formatObjectKey } from "../../api/gvk.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { OwnedSet } from "./owned-set.ts";

/** An error about one own() call. */
export function ownError(
  { owner, ownerKind, kind }: Pick<OwnedSet, "owner" | "ownerKind" | "kind">,
  code: string,
  { problem, hint }: { readonly problem: string; readonly hint: string },
): HomeostatError {
  return new HomeostatError(
    code,
    `${ownerKind.kind} ${formatObjectKey(owner.metadata)} owning ${kind.kind} (${kind.apiVersion}): ${problem}`,
    { hint },
  );
}
