// When informers can be read: their first lists are complete, or nothing will come for now.
import type { Freshness, Informer } from "./informer.ts";

/**
 * Resolves when each informer has synced or is `absent`, by default because the server does not
 * serve its kind; or when the signal aborts.
 */
export async function whenHeard(
  informers: readonly Informer[],
  signal: AbortSignal,
  isAbsent: (freshness: Freshness) => boolean = ({ isServed }) => !isServed,
): Promise<void> {
  const isHeld = (): boolean =>
    informers.some((one) => !one.hasSynced() && !isAbsent(one.freshness()));
  if (!isHeld()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const check = (): void => {
    if (!isHeld() || signal.aborted) resolve();
  };
  const listeners = informers.map((informer) => informer.onFreshness(check));
  for (const informer of informers) informer.synced(signal).then(check, check);
  check();
  await promise;
  for (const listener of listeners) listener.remove();
}
