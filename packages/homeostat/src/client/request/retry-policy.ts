// Whether and when a failed request is sent again. Pure: returns a number of milliseconds, or
// undefined.
// Upstream: k8s.io/client-go/rest/with_retry.go (Retry-After on 429 and 5xx, at most 10 retries;
// connection reset only for GET).
import type { ApiRequest } from "../client.ts";

/** The outcome of an attempt. */
export type Attempt =
  | { readonly type: "answer"; readonly status: number; readonly retryAfter: string | undefined }
  /** `lost`: an established connection broke. Unreachable servers are reported at once. */
  | { readonly type: "network"; readonly lost: boolean };

/** Limits: retries of a request, and the longest Retry-After. */
export const maxRetries = 10;
const maxWaitMs = 60_000;
const firstNetworkMs = 100;
const maxNetworkRetries = 4;

/**
 * Milliseconds until the next attempt, undefined for none. Responses are retried if the server asks
 * for it (Retry-After on 429 or 5xx), for any method, because nothing was done. Broken connections
 * are retried if repeating is harmless.
 */
export function retryDelay(
  request: Pick<ApiRequest, "method" | "headers">,
  attempt: Attempt,
  retries: number,
): number | undefined {
  if (retries >= maxRetries) return undefined;
  if (attempt.type === "answer")
    return attempt.status === 429 || attempt.status >= 500
      ? parseRetryAfter(attempt.retryAfter)
      : undefined;
  if (retries >= maxNetworkRetries || !attempt.lost || !isRepeatable(request)) return undefined;
  return firstNetworkMs * 2 ** retries;
}

/** Reads, and server-side apply, which always sends the whole intent. */
function isRepeatable(request: Pick<ApiRequest, "method" | "headers">): boolean {
  return (
    request.method === "GET" || request.headers?.["content-type"] === "application/apply-patch+yaml"
  );
}

/** `Retry-After` in seconds, as Kubernetes sends it; never a date. */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d+$/.test(value)) return undefined;
  return Math.min(Number(value) * 1000, maxWaitMs);
}
