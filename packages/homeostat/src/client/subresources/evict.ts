// Evicts a pod as `kubectl drain` does: a disruption budget that forbids it now may allow it later.
// Upstream: k8s.io/kubectl/pkg/drain/drain.go (evictPods, EvictErrorRetryDelay 5 s).
import {
  type ApiStatusError,
  isForbidden,
  isNotFound,
  isTooManyRequests,
} from "../../api/status.ts";
import { sleep } from "../../runtime/sleep.ts";
import { checkOptions, type KnownOptions } from "../../util/call-options.ts";
import { HomeostatError } from "../../util/homeostat-error.ts";
import type { Client, DeleteOptions, Key } from "../client.ts";
import { dynamicKind } from "../discovery/kind-resolver.ts";

const Pod = dynamicKind({ apiVersion: "v1", kind: "Pod", resource: "pods", scope: "Namespaced" });

/** How a pod is evicted. */
export interface EvictOptions extends Pick<
  DeleteOptions,
  "preconditions" | "gracePeriodSeconds" | "dryRun" | "signal"
> {
  /** How long a refused eviction is tried again; default without an end. */
  readonly timeoutMs?: number;
  /** Pause after a refusal that names none (Retry-After); default 5 s. */
  readonly retryMs?: number;
}

const known = {
  preconditions: "an object",
  gracePeriodSeconds: "a number",
  dryRun: "a string",
  signal: "an AbortSignal",
  timeoutMs: "a number",
  retryMs: "a number",
} as const satisfies KnownOptions<EvictOptions>;

/**
 * Evicts a pod; repeats while a disruption budget forbids it. Resolves to true once the server has
 * accepted, when the pod may still terminate, and to false if there is no such pod.
 *
 * @throws ERR_CLIENT_TIMEOUT after `timeoutMs`, with the last refusal as its cause
 */
export async function evict(
  client: Client,
  pod: Key,
  options: EvictOptions = {},
): Promise<boolean> {
  checkOptions("evict(…)", options, known);
  const { retryMs = 5000, timeoutMs, signal } = options;
  const { clock } = client.runtime;
  const end = new AbortController();
  let refusal: ApiStatusError | undefined;
  const timer =
    timeoutMs === undefined
      ? undefined
      : clock.timer(timeoutMs, () => end.abort(timedOut(pod, timeoutMs, refusal)));
  const ends = signal ? AbortSignal.any([signal, end.signal]) : end.signal;
  const hold = clock.hold?.();
  try {
    for (;;) {
      const outcome = await attempt(client, pod, { ...options, signal: ends });
      if (typeof outcome === "boolean") return outcome;
      refusal = outcome;
      await sleep(clock, retryMs, ends);
      ends.throwIfAborted();
    }
  } finally {
    timer?.cancel();
    hold?.cancel();
  }
}

/** True for success, false if the pod is gone, or a refusal that may pass. */
async function attempt(
  client: Client,
  pod: Key,
  { preconditions, gracePeriodSeconds, dryRun, signal }: EvictOptions & { signal: AbortSignal },
): Promise<boolean | ApiStatusError> {
  const metadata = typeof pod === "string" ? { name: pod } : pod;
  const deleteOptions = {
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
  };
  const how = { signal, ...(dryRun === undefined ? {} : { dryRun }) };
  try {
    await client.create(Pod, { metadata, deleteOptions }, { ...how, subresource: "eviction" });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    if (isTooManyRequests(error) || isOfTerminatingNamespace(error)) return error;
    throw error;
  }
}

/** The pod is deleted with its namespace; its eviction is refused until then. */
const isOfTerminatingNamespace = (error: unknown): error is ApiStatusError =>
  isForbidden(error) &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "NamespaceTerminating");

function timedOut(pod: Key, timeoutMs: number, cause: ApiStatusError | undefined): HomeostatError {
  const name = typeof pod === "string" ? pod : pod.name;
  const last = cause ? `: ${cause.message}` : "";
  return new HomeostatError(
    "ERR_CLIENT_TIMEOUT",
    `evicting pod ${name}: expected it to be allowed within ${timeoutMs} ms, it was refused${last}`,
    { hint: "Check the pod's disruption budget, or raise `timeoutMs`.", cause },
  );
}
