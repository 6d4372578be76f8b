// How late the event loop is: a timer is due every 100 ms, and each is counted by its delay. All
// code of a process shares one loop, so a delay of seconds is a function that computes for so long,
// and holds up every controller, probe and lease.
import type { Clock, Timer } from "../../runtime/clock.ts";
import type { Metrics } from "../../metrics/index.ts";

const everyMs = 100;

/** Counts until it is stopped. */
export function countEventLoopDelay(set: Metrics, clock: Clock): { stop(): void } {
  const delays = set
    .histogram({
      name: "homeostat_event_loop_delay_seconds",
      help: "How late timers run that are due every 100 ms",
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    })
    .with({});
  let timer: Timer;
  const arm = (): void => {
    const due = clock.monotonic() + everyMs;
    timer = clock.timer(everyMs, () => {
      delays.observe(Math.max(0, clock.monotonic() - due) / 1000);
      arm();
    });
  };
  arm();
  return { stop: () => timer.cancel() };
}
