// Errors of own(): each names the owner and the kind that it owns.
import { formatApiVersion, parseApiVersion } from "../../api/gvk.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { OwnedSet } from "./owned-set.ts";

/** An error about one own() call. */
export function ownError(
  { owner, ownerKind, kind }: Pick<OwnedSet, "owner" | "ownerKind" | "kind">,
  code: string,
  { problem, hint }: { readonly problem: string; readonly hint: string },
): HomeostatError {
  const where = owner.metadata.namespace
    ? `${owner.metadata.namespace}/${owner.metadata.name}`
    : owner.metadata.name;
  return new HomeostatError(
    code,
    `${ownerKind.kind} ${where} owning ${kind.kind} (${formatApiVersion(parseApiVersion(kind.apiVersion)!)}): ${problem}`,
    { hint },
  );
}
