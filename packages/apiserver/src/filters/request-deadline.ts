// The `timeout` parameter of short requests. It is validated and not enforced, because responses
// take far less time than any sensible timeout; a timeout that no server could meet fails at once.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/request_deadline.go,
// pkg/server/filters/timeout.go, time (ParseDuration).
import type { ApiResponse } from "../apimachinery/handler.ts";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";

/** Throws 400 for a timeout that is no duration. Watches and proxies ignore it. */
export async function enforceRequestDeadline({
  query,
  info,
}: ServerRequest): Promise<ApiResponse | undefined> {
  const text = query.text("timeout");
  if (text === "" || info.verb === "watch" || info.verb === "proxy") return undefined;
  const fault = durationFault(text);
  if (fault) throw badRequestError(`invalid timeout specified in the request URL - ${fault}`);
  const milliseconds = durationMs(text);
  return milliseconds > 0 && milliseconds < shortestMs ? timedOut() : undefined;
}

/** Shorter timeouts pass while upstream's own filter runs. */
const shortestMs = 0.1;
const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

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
  return {
    status: 504,
    headers: { "content-type": "text/plain; charset=utf-8" },
    body: new TextEncoder().encode(`${JSON.stringify(status)}\n`),
  };
}

/** The length of a valid duration. */
function durationMs(text: string): number {
  const size = [...text.matchAll(/([0-9]*\.?[0-9]*)([^0-9.+-]+)/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitMs[unit!] ?? 0),
    0,
  );
  return text.startsWith("-") ? -size : size;
}

const part = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

/** Go's message for an invalid duration, e.g. `time: missing unit in duration "5"`. */
function durationFault(text: string): string | undefined {
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return undefined;
  if (rest === "") return `time: invalid duration ${quoteGo(text)}`;
  while (rest) {
    const [all, whole = "", fraction = "", unit = ""] = part.exec(rest)!;
    if (!whole && !fraction) return `time: invalid duration ${quoteGo(text)}`;
    if (!unit) return `time: missing unit in duration ${quoteGo(text)}`;
    if (!["ns", "us", "µs", "μs", "ms", "s", "m", "h"].includes(unit))
      return `time: unknown unit ${quoteGo(unit)} in duration ${quoteGo(text)}`;
    rest = rest.slice(all.length);
  }
  return undefined;
}
