// Checks of what a caller passes as a kind, before its types can be trusted.
import { HomeostatError } from "../util/homeostat-error.ts";
import { describeMissing } from "../util/option-faults.ts";
import type { Kind } from "./kind.ts";

/** True for an object that names a kind. */
export function isKind(kind: unknown): kind is Kind {
  if ((typeof kind !== "object" && typeof kind !== "function") || kind === null) return false;
  const { apiVersion, kind: name, resource } = kind as Partial<Kind>;
  return [apiVersion, name, resource].every((part) => typeof part === "string" && part !== "");
}

/**
 * @param what what was attempted, e.g. "taking the metadata of a kind"
 * @throws ERR_KIND_ARGUMENT
 */
export function assertKind(kind: unknown, what: string): void {
  if (isKind(kind)) return;
  throw new HomeostatError(
    "ERR_KIND_ARGUMENT",
    `${what}: its first argument is ${describeMissing(kind)}, expected a kind`,
    { hint: "pass a kind such as Secret; one that is undefined may come from a circular import" },
  );
}
