// Tells the one refusal that controllers do not try again: the namespace is going, and takes
// nothing new.
// Upstream: k8s.io/api/core/v1/types.go (NamespaceTerminatingCause).
import { isApiStatusError } from "homeostat/api";

/** True when an object could not be created because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiStatusError(error) &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}
