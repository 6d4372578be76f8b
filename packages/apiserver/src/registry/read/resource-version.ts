// Parses the resourceVersion of a request, and waits for one that lies ahead.
// Upstream: k8s.io/apiserver/pkg/storage/api_object_versioner.go, pkg/storage/errors.go,
// pkg/storage/cacher/watch_cache.go.
import type { Clock } from "homeostat/runtime";
import type { Store } from "../../storage/store.ts";
import { badRequestError, failure, plainError } from "../../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import type { CoreServices } from "../scope/core-services.ts";

/** The time that a read waits for a future revision. */
const freshnessWaitMs = 3000;
const maxUint64 = 2n ** 64n - 1n;

/** 0 for "" and "0"; an error text for anything else than an unsigned 64-bit number. */
export function parseResourceVersion(
  text: string,
): { readonly revision: number } | { readonly fault: string } {
  if (text === "" || text === "0") return { revision: 0 };
  if (!/^[0-9]+$/.test(text)) return { fault: fault(text, "invalid syntax") };
  const value = BigInt(text);
  return value > maxUint64
    ? { fault: fault(text, "value out of range") }
    : { revision: Number(value) };
}

const fault = (text: string, why: string): string =>
  `resourceVersion: Invalid value: ${quoteGo(text)}: strconv.ParseUint: parsing ${quoteGo(text)}: ${why}`;

/** For gets and watches: 500 without a reason. */
export function resourceVersionOf(text: string): number {
  const parsed = parseResourceVersion(text);
  if ("fault" in parsed) throw plainError(parsed.fault);
  return parsed.revision;
}

/** For lists: 400. */
export function listResourceVersionOf(text: string): number {
  const parsed = parseResourceVersion(text);
  if ("fault" in parsed) throw badRequestError(`invalid resource version: ${parsed.fault}`);
  return parsed.revision;
}

/**
 * Waits as {@link waitForRevision} for what is read from a watch cache. What is read from etcd does
 * not wait, and names no time to try again.
 */
export async function assertReached(
  core: CoreServices,
  { watchCache }: ServedResource,
  revision: number,
): Promise<void> {
  if (watchCache !== "none") return await waitForRevision(core, revision);
  const current = core.store.revision();
  if (revision > current) throw tooLargeResourceVersion(revision, current, {});
}

/**
 * Waits until the store has reached `revision`; throws 504 when it does not within three seconds.
 */
export async function waitForRevision(
  { store, runtime }: CoreServices,
  revision: number,
): Promise<void> {
  if (revision <= store.revision()) return;
  if (!(await reached(store, revision, runtime.clock)))
    throw tooLargeResourceVersion(revision, store.revision());
}

/** 504 with the cause that tells clients that they are ahead of the server. */
export function tooLargeResourceVersion(
  wanted: number,
  current: number,
  retry: { readonly retryAfterSeconds?: number } = { retryAfterSeconds: 1 },
): Error {
  return failure(
    504,
    "Timeout",
    `Timeout: Too large resource version: ${formatRevision(wanted)}, current: ${current}`,
    {
      causes: [{ reason: "ResourceVersionTooLarge", message: "Too large resource version" }],
      ...retry,
    },
  );
}

const formatRevision = (revision: number): string =>
  Number.isSafeInteger(revision) ? String(revision) : BigInt(revision).toString();

function reached(store: Store, revision: number, clock: Clock): Promise<boolean> {
  return new Promise((resolve) => {
    const watch = store.since("", store.revision(), (change) => {
      if (change.revision < revision) return;
      finish(true);
    });
    const timer = clock.timer(freshnessWaitMs, () => finish(store.revision() >= revision));
    const finish = (fresh: boolean): void => {
      timer.cancel();
      if (typeof watch === "object") watch.stop();
      resolve(fresh);
    };
  });
}
