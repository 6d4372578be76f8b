// Keeps the process alive while a test uses its cluster, and not for ever: a test runner waits for
// the end of the process, which a cluster that nobody closes must not hold up. Runners do not tell
// whether a test is still running, so a test that waits without a timer or socket of its own has
// some time after its last call.
import type { Client } from "homeostat/client";
import { createSystemRuntime, type Runtime, type Timer } from "homeostat/runtime";

/** Keeps the process alive. */
export interface KeepAlive {
  /** Until as many calls of `end`, and for some time after the last. */
  begin(): void;
  end(): void;
  /** While `work` goes on. */
  during<T>(work: () => Promise<T>): Promise<T>;
  stop(): void;
}

/** The time after the last use. */
const idleMs = 5_000;

/** `released` is called once, when nothing has used the cluster for some time. */
export function createKeepAlive(released: (idleMs: number) => void): KeepAlive {
  const { clock } = createSystemRuntime();
  let open = 0;
  let isReleased = false;
  let isStopped = false;
  let held: Timer | undefined;
  let due: Timer | undefined;
  const release = (): void => {
    if (open > 0) return;
    held?.cancel();
    held = undefined;
    if (!isReleased) released(idleMs);
    isReleased = true;
  };
  const use = (change: number): void => {
    open += change;
    if (isStopped) return;
    held ??= clock.hold?.();
    due?.cancel();
    due = clock.timer(idleMs, release);
  };
  use(0);
  return {
    begin: () => use(1),
    end: () => use(-1),
    during(work) {
      use(1);
      return work().finally(() => use(-1));
    },
    stop() {
      isStopped = true;
      due?.cancel();
      held?.cancel();
    },
  };
}

/** A client whose requests and watches keep the process alive. */
export function keepAliveBy(client: Client, keepAlive: KeepAlive): Client {
  const held = client.with({
    requested(answered) {
      keepAlive.begin();
      void answered.then(keepAlive.end, keepAlive.end);
    },
  });
  const watch = held.watch.bind(held);
  return Object.assign(held, {
    watch: ((kind, options) => keptAlive(watch(kind, options), keepAlive)) as Client["watch"],
  });
}

async function* keptAlive<T>(events: AsyncIterable<T>, keepAlive: KeepAlive): AsyncIterable<T> {
  keepAlive.begin();
  try {
    yield* events;
  } finally {
    keepAlive.end();
  }
}

/** The process's runtime, whose caches do not keep the process alive by themselves. */
export function createUnheldRuntime(): Runtime {
  const { clock, ...others } = createSystemRuntime();
  const { hold: _, ...unheld } = clock;
  return { ...others, clock: unheld };
}
