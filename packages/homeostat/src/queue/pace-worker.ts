// Lets timers and sockets run between the items of a worker. With an in-process server every await
// may be a microtask: workers that wake each other would keep the event loop for seconds.
import type { Clock } from "../runtime/clock.ts";

/** Longest time without a rest, in milliseconds. */
const restAfterMs = 10;

/**
 * Creates the pace of one worker, which asks for its rest after every item: undefined for none, a
 * promise that resolves after timers and sockets had their turn if the last rest was more than 10
 * ms ago. `stopped` ends a rest: the time of a virtual clock may have come to its end.
 */
export function paceWorker(
  clock: Clock,
  stopped?: Promise<unknown>,
): () => Promise<void> | undefined {
  let rested = clock.monotonic();
  const rest = async (): Promise<void> => {
    // A worker that is stopping may be all that the process still waits for.
    const held = clock.hold?.();
    const turn = new Promise<void>((resolve) => void clock.timer(0, resolve));
    await (stopped ? Promise.race([turn, stopped]) : turn);
    held?.cancel();
    rested = clock.monotonic();
  };
  return () => (clock.monotonic() - rested < restAfterMs ? undefined : rest());
}
