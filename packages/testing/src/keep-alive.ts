// Keeps the process alive while a test uses its cluster, and not for ever: a test runner waits for
// the end of the process, which a cluster that nobody closes must not hold up. Runners do not tell
// whether a test is still running, so a test that waits without a timer or socket of its own has
// some time after its last call.
import type { Client } from "homeostat/client";
import { createSystemRuntime, type Runtime } from "homeostat/runtime";

/** Keeps the process alive. */
export interface KeepAlive {
  /** Until `work` has settled, and for some time after it. */
  during<T>(work: Promise<T>): Promise<T>;
  /** The client, whose requests and watches keep the process alive. */
  hold(client: Client): Client;
  stop(): void;
}

/** The time after the last call. */
const idleMs = 5_000;

/** `released` is called once, when nothing has used the cluster for some time. */
export function createKeepAlive(released: (idleMs: number) => void): KeepAlive {
  let open = 0;
  let isReleased = false;
  const timer = setTimeout(function release() {
    if (open > 0) return void timer.refresh();
    if (!isReleased) released(idleMs);
    isReleased = true;
  }, idleMs);
  const settled = (): void => {
    open--;
    timer.refresh();
  };
  const begin = (): void => {
    open++;
    timer.refresh();
  };
  const during = async <T>(work: Promise<T>): Promise<T> => {
    begin();
    return work.finally(settled);
  };
  async function* iterate<T>(events: AsyncIterable<T>): AsyncIterable<T> {
    begin();
    try {
      yield* events;
    } finally {
      settled();
    }
  }
  return {
    during,
    hold(client) {
      const held = client.with({
        requested: (answered) => void during(answered).catch(() => {}),
      });
      const watch = held.watch.bind(held);
      return Object.assign(held, {
        watch: ((kind, options) => iterate(watch(kind, options))) as Client["watch"],
      });
    },
    stop: () => clearTimeout(timer),
  };
}

/** The process's runtime, whose caches do not keep the process alive by themselves. */
export function createUnheldRuntime(): Runtime {
  const { clock, ...others } = createSystemRuntime();
  const { hold: _, ...unheld } = clock;
  return { ...others, clock: unheld };
}
