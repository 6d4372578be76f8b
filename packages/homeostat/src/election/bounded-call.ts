// Requests about Leases: bounded, their retries included, so that one slow answer does not cost the
// Lease.
// Upstream: sigs.k8s.io/controller-runtime/pkg/leaderelection/leader_election.go.
import type { RequestOptions } from "../client/client.ts";
import type { Clock } from "../runtime/clock.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ElectionTimings } from "./election-timings.ts";

const leastCallMs = 1000;

/** Sends a request; rejects when there is no answer within half of the renewal deadline. */
export function boundedCall<T>(
  clock: Clock,
  { renewDeadlineMs }: ElectionTimings,
  send: (options: RequestOptions) => Promise<T>,
): Promise<T> {
  const timeoutMs = Math.max(leastCallMs, renewDeadlineMs / 2);
  const late = new AbortController();
  const timer = clock.timer(timeoutMs, () => late.abort(timeoutError(timeoutMs)));
  const answered = send({ signal: late.signal, timeoutMs: 0 });
  const cancel = (): void => timer.cancel();
  answered.then(cancel, cancel);
  return answered;
}

const timeoutError = (timeoutMs: number): Error =>
  new HomeostatError("ERR_CLIENT_TIMEOUT", `no answer within ${timeoutMs} ms`, {
    hint: "Check the server's health.",
  });
