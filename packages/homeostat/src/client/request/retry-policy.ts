// Whether a failed request is sent again, and when. Pure: the answer is a number of milliseconds or
// no.
// Upstream: k8s.io/client-go/rest/with_retry.go (Retry-After on 429 and 5xx, at most 10 retries;
// connection reset only for GET).
import type { ApiRequest } from "../client.ts";

/** What came of one attempt. */
export type AuthorizerAttributes =
  | { readonly type: "answer"; readonly status: number; readonly retryAfter: string | undefined }
  /**
   * `lost`: the connection was there and broke. A server that cannot be reached at all is the
   * caller's to know at once.
   */
  | { readonly type: "network"; readonly lost: boolean };

/** Retries of one request, and the longest that one waits for an answer's Retry-After. */
export const maxRetries = 10;
const maxWaitMs = 60_000;
const firstNetworkMs = 100;
const maxNetworkRetries = 4;

/**
 * Milliseconds until the request is sent again, undefined when it is not. An answer is retried
 * where the server asks for it (Retry-After on 429 or 5xx), whatever the method: it has done
 * nothing. A broken connection is retried where repeating does no harm.
 */
export function retryDelay(
  request: Pick<ApiRequest, "method" | "headers">,
  attempt: AuthorizerAttributes,
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

/** Reads, and server-side apply, which says a whole intent each time. */
function isRepeatable(request: Pick<ApiRequest, "method" | "headers">): boolean {
  return (
    request.method === "GET" || request.headers?.["content-type"] === "application/apply-patch+yaml"
  );
}

/** `Retry-After` in seconds, as Kubernetes writes it; dates are not used there. */
function parseRetryAfter(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d+$/.test(value)) return undefined;
  return Math.min(Number(value) * 1000, maxWaitMs);
}
