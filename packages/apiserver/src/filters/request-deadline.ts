// The `timeout` parameter of short requests. It is validated here, and enforced where a request
// waits for others (admission webhooks), because responses take far less time than any sensible
// timeout; a timeout that no server could meet fails at once.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go,
// pkg/server/filters/timeout.go.
import type { ApiResponse } from "../apimachinery/handler.ts";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import { plainText } from "../apimachinery/text-response.ts";
import { parseGoDuration } from "../apimachinery/values/go-duration.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** Throws 400 for a timeout that is no duration. Watches and proxies ignore it. */
export async function enforceRequestDeadline({
  query,
  info,
}: ServerRequest): Promise<ApiResponse | undefined> {
  const text = query.text("timeout");
  if (text === "" || info.verb === "watch" || info.verb === "proxy") return undefined;
  const timeout = parseGoDuration(text);
  if ("fault" in timeout)
    throw badRequestError(`invalid timeout specified in the request URL - ${timeout.fault}`);
  return timeout.nanos > 0n && timeout.nanos < shortestNanos ? timedOut() : undefined;
}

/** Shorter timeouts pass while upstream's own filter runs. */
const shortestNanos = 100_000n;

/** Upstream bypasses its encoders here: no kind, no version, plain text. */
function timedOut(): ApiResponse {
  const status = {
    metadata: {},
    status: "Failure",
    message: "Timeout: request did not complete within the allotted timeout",
    reason: "Timeout",
    details: {},
    code: 504,
  };
  return plainText(504, `${JSON.stringify(status)}\n`);
}
