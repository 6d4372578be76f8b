// Recognizes the refusal that controllers do not retry: the namespace is being deleted and accepts
// no new objects.
// Upstream: k8s.io/api/core/v1/types.go (NamespaceTerminatingCause).
import { isApiStatusError } from "homeostat/api";

/** True when an object could not be created because its namespace is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiStatusError(error) &&
    error.status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating") === true
  );
}
