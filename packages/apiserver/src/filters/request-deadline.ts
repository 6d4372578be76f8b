// The `timeout` parameter of short requests. What such a request waits for (admission and
// conversion webhooks, other API servers) may go on afterwards, but writes nothing. Without the
// parameter only requests to other API servers have a deadline: this server answers much sooner.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go,
// pkg/server/filters/timeout.go.
import type { Clock } from "homeostat/runtime";
import type { ApiResponse } from "../apimachinery/handler.ts";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import { plainText } from "../apimachinery/text-response.ts";
import { parseGoDuration } from "../apimachinery/values/go-duration.ts";
import { isLongRunning } from "../registry/request/is-long-running.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** No timeout is longer. Upstream: pkg/server/config.go (RequestTimeout). */
const longestMs = 60_000;
/** Shorter timeouts pass while upstream's own filter runs. */
const shortestMs = 0.1;

/** Throws 400 for a timeout that is no duration. Watches, streams and proxies ignore it. */
export async function assertTimeout({ query, info }: ServerRequest): Promise<undefined> {
  const timeout = timeoutOf(query);
  if (timeout && "fault" in timeout && !isLongRunning(info))
    throw badRequestError(`invalid timeout specified in the request URL - ${timeout.fault}`);
}

/** The services that decide on deadlines. */
interface DeadlineServices {
  readonly core: { readonly runtime: { readonly clock: Clock } };
  readonly aggregator?: { serves(path: string): boolean } | undefined;
}

/** The response of `work`, or that of a request whose time is over before. */
export async function beforeDeadline(
  request: ServerRequest,
  { core, aggregator }: DeadlineServices,
  work: () => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const ms = limitOf(request) ?? (aggregator?.serves(request.info.path) ? longestMs : undefined);
  if (ms === undefined || isLongRunning(request.info)) return await work();
  if (ms < shortestMs) return timedOut();
  const { promise, resolve } = Promise.withResolvers<ApiResponse>();
  const { clock } = core.runtime;
  const timer = clock.timer(Math.max(0, request.nowMs + ms - clock.now()), () => {
    request.isTimedOut = true;
    resolve(timedOut());
  });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    timer.cancel();
  }
}

/** Undefined without a timeout, and for one that is no duration. */
function limitOf({ query }: ServerRequest): number | undefined {
  const timeout = timeoutOf(query);
  if (!timeout || "fault" in timeout) return undefined;
  const ms = Number(timeout.nanos) / 1e6;
  return ms > 0 ? Math.min(ms, longestMs) : longestMs;
}

function timeoutOf(query: ServerRequest["query"]): ReturnType<typeof parseGoDuration> | undefined {
  const text = query.text("timeout");
  return text === "" ? undefined : parseGoDuration(text);
}

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
