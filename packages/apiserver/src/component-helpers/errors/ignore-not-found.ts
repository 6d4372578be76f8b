// Requests about objects that may no longer exist.
// Upstream: sigs.k8s.io/controller-runtime/pkg/client/interfaces.go (IgnoreNotFound).
import { isNotFound } from "homeostat/api";

/** Rethrows any error but NotFound. For `catch`. */
export function ignoreNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
