// Time, timers and randomness that code takes from Node itself: virtual within simulated processes,
// Node's own everywhere else, also for tests that run at the same time. Which process asks is told
// by the asynchronous context. While no world is open, nothing is replaced.
import { AsyncLocalStorage } from "node:async_hooks";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { promisify } from "node:util";
import { replaceRandomness } from "./ambient-randomness.ts";
import { refusals } from "./refuse-outside.ts";
import type { ProcessRuntime } from "./process-runtime.ts";
import { Replacements } from "./replacements.ts";
import { VirtualTimeout } from "./virtual-timeout.ts";

/** Runs code of simulated processes with their time, until it is closed. */
export class AmbientTime {
  readonly #runtimes: AsyncLocalStorage<ProcessRuntime>;
  readonly #shared: SharedState;

  constructor() {
    const holder = globalThis as { [stateKey]?: SharedState };
    this.#shared = holder[stateKey] ??= replaceAll();
    this.#shared.users++;
    this.#runtimes = this.#shared.runtimes;
  }

  /** Runs `code`, and all that it begins, as a part of the process with this runtime. */
  run<T>(runtime: ProcessRuntime, code: () => T): T {
    return this.#runtimes.run(runtime, code);
  }

  close(): void {
    if (--this.#shared.users > 0) return;
    this.#shared.replaced.restore();
    syncBuiltinESMExports();
    delete (globalThis as { [stateKey]?: SharedState })[stateKey];
  }
}

/** What all open worlds of this process share: the functions that they replace are shared, too. */
interface SharedState {
  readonly runtimes: AsyncLocalStorage<ProcessRuntime>;
  readonly replaced: Replacements;
  users: number;
}

const stateKey = Symbol.for("homeostat.simulation.ambient-time");

function replaceAll(): SharedState {
  const runtimes = new AsyncLocalStorage<ProcessRuntime>();
  const replaced = new Replacements();
  const current = (): ProcessRuntime | undefined => runtimes.getStore();
  replaceClocks(replaced, current);
  replaceTimers(replaced, current);
  replaceRandomness(replaced, current);
  for (const { owner, name, what } of refusals)
    replaced.replace(
      owner,
      name,
      (real) =>
        function (this: unknown, ...args: unknown[]) {
          const runtime = current();
          if (runtime) throw what();
          return Reflect.apply(real, this, args);
        },
    );
  syncBuiltinESMExports();
  return { runtimes, replaced, users: 0 };
}

/** In nanoseconds. */
const second = 1_000_000_000n;

type Current = () => ProcessRuntime | undefined;

function replaceClocks(replaced: Replacements, current: Current): void {
  const nowOf = (real: () => number): number => {
    const runtime = current();
    runtime?.usesDate();
    return runtime?.clock.now() ?? real();
  };
  replaced.set(globalThis, "Date", virtualDate(Date, nowOf));
  replaced.replace(
    globalThis.performance,
    "now",
    (real) => () =>
      current()?.clock.monotonic() ?? (Reflect.apply(real, globalThis.performance, []) as number),
  );
  const hrtime = process.hrtime;
  const nanoseconds = (): bigint => {
    const runtime = current();
    return runtime ? BigInt(Math.round(runtime.clock.monotonic() * 1e6)) : hrtime.bigint();
  };
  const parts = (before?: [number, number]): [number, number] => {
    if (!current()) return hrtime(before);
    const [seconds, rest] = before ?? [0, 0];
    const since = nanoseconds() - BigInt(seconds) * second - BigInt(rest);
    return [Number(since / second), Number(since % second)];
  };
  replaced.set(process, "hrtime", Object.assign(parts, { bigint: nanoseconds }));
  replaced.replace(AbortSignal, "timeout", (real) => (ms: number) => {
    const runtime = current();
    if (!runtime) return Reflect.apply(real, AbortSignal, [ms]) as AbortSignal;
    const controller = new AbortController();
    const reason = new DOMException("The operation was aborted due to timeout", "TimeoutError");
    runtime.clock.timer(ms, () => controller.abort(reason));
    return controller.signal;
  });
}

function virtualDate(RealDate: DateConstructor, nowOf: (real: () => number) => number): unknown {
  const real = RealDate.now.bind(RealDate);
  return new Proxy(RealDate, {
    construct: (target, args: [], newTarget: new (...args: never[]) => object) =>
      Reflect.construct(target, args.length > 0 ? args : [nowOf(real)], newTarget) as object,
    apply: (target) => new target(nowOf(real)).toString(),
    get: (target, name, receiver) =>
      name === "now" ? () => nowOf(real) : (Reflect.get(target, name, receiver) as unknown),
  });
}

function replaceTimers(replaced: Replacements, current: Current): void {
  const timers = process.getBuiltinModule("node:timers");
  const timersPromises = process.getBuiltinModule("node:timers/promises");
  const begin =
    (repeats: boolean) =>
    (real: Callable) =>
    (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
      const runtime = current();
      if (!runtime) return Reflect.apply(real, undefined, [run, ms, ...args]) as unknown;
      return new VirtualTimeout(runtime.clock, { run: () => run(...args), ms, repeats });
    };
  const end = (real: Callable) => (timer: unknown) => {
    if (timer instanceof VirtualTimeout) timer.close();
    else Reflect.apply(real, undefined, [timer]);
  };
  const realSleep = timersPromises.setTimeout;
  const sleep = (ms?: number, value?: unknown, options?: SleepOptions): Promise<unknown> => {
    const runtime = current();
    return runtime ? virtualSleep(runtime, ms, value, options) : realSleep(ms, value, options);
  };
  for (const owner of [globalThis, timers]) {
    replaced.replace(owner, "setTimeout", (real) =>
      Object.assign(begin(false)(real), { [promisify.custom]: sleep }),
    );
    replaced.replace(owner, "setInterval", begin(true));
    replaced.replace(owner, "clearTimeout", end);
    replaced.replace(owner, "clearInterval", end);
  }
  replaced.set(timersPromises, "setTimeout", sleep);
  replaced.replace(timersPromises.scheduler, "wait", (real) => (ms: number, options) => {
    if (current()) return sleep(ms, undefined, options);
    return Reflect.apply(real, timersPromises.scheduler, [ms, options]) as unknown;
  });
  replaced.replace(timersPromises, "setInterval", (real) => (ms, value, options) => {
    if (current()) return ticks(sleep, ms, value, options);
    return Reflect.apply(real, undefined, [ms, value, options]) as unknown;
  });
}

/** As Node's interval of promises. */
async function* ticks(
  sleep: (ms?: number, value?: unknown, options?: SleepOptions) => Promise<unknown>,
  ...args: [ms?: number, value?: unknown, options?: SleepOptions]
): AsyncGenerator<unknown> {
  for (;;) yield await sleep(...args);
}

interface SleepOptions {
  readonly signal?: AbortSignal;
}

function virtualSleep(
  { clock }: ProcessRuntime,
  ms = 1,
  value?: unknown,
  { signal }: SleepOptions = {},
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      const cause: unknown = signal?.reason;
      reject(Object.assign(new Error("The operation was aborted", { cause }), aborted));
    };
    if (signal?.aborted) return fail();
    const timer = clock.timer(Math.max(1, ms), () => {
      signal?.removeEventListener("abort", abort);
      resolve(value);
    });
    const abort = (): void => {
      timer.cancel();
      fail();
    };
    signal?.addEventListener("abort", abort, { once: true });
  });
}

/** As Node's AbortError. */
const aborted = { name: "AbortError", code: "ABORT_ERR" };

type Callable = (...args: never[]) => unknown;
