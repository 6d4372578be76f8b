// The clock of a test cluster as tests see it: it can be advanced, and everything that was due
// meanwhile has then happened, in order and each at its own time.
import { HomeostatError } from "homeostat";
import { parseDuration } from "homeostat/api";
import { realNow } from "../traffic/real-time.ts";
import { type Activity, untilParked } from "../traffic/until-idle.ts";
import type { JumpingRuntime } from "./jumping-runtime.ts";

/** The clock of a test cluster, for server, client and controllers alike. */
export interface TestClock {
  /** Wall time in milliseconds since 1970-01-01 UTC. */
  now(): number;
  /**
   * Skips this time, e.g. `"10m"` or milliseconds: every timer that falls into it runs at its own
   * time, in order, and what it causes is done before the next one runs. `Date` and the timers of
   * your own code go on as they are. @throws ERR_TEST_CLOCK for a time that is none, while another
   * advance runs, after the cluster has closed, and when the timers do not end within `timeoutMs`
   * (default 30 s) of real time
   */
  advance(
    duration: string | number,
    options?: { readonly timeoutMs?: number | undefined },
  ): Promise<void>;
}

/** What the clock needs to know of its cluster. */
export interface ClockCluster {
  readonly runtime: JumpingRuntime;
  readonly activity: Activity;
  /** One line for each object that is retried or in a loop. */
  restless(): readonly string[];
  isClosed(): boolean;
}

/** Timers at one and the same time after which they count as a loop. */
const mostAtOnce = 10_000;

/** Creates the clock of a cluster. */
export function createTestClock(cluster: ClockCluster): TestClock {
  const { runtime } = cluster;
  let isAdvancing = false;
  return {
    now: () => runtime.clock.now(),
    async advance(duration, { timeoutMs = 30_000 } = {}) {
      const ms = toMs(duration);
      const refused = refusalOf(cluster.isClosed(), isAdvancing);
      if (refused) throw clockError(duration, ...refused);
      isAdvancing = true;
      try {
        await jump(cluster, { duration, ms, timeoutMs });
      } finally {
        isAdvancing = false;
      }
    },
  };
}

interface Jump {
  readonly duration: string | number;
  readonly ms: number;
  readonly timeoutMs: number;
}

async function jump(cluster: ClockCluster, { duration, ms, timeoutMs }: Jump): Promise<void> {
  const { runtime, activity } = cluster;
  const { clock } = runtime;
  const patience = { parked: new Set<string>(), untilMs: realNow() + timeoutMs };
  runtime.stand();
  const from = clock.monotonic();
  let at = from;
  let ran = 0;
  try {
    let isCalm = await untilParked(activity, patience);
    for (let atOnce = 0; isCalm && runtime.runNext(from + ms); ran++) {
      atOnce = clock.monotonic() > at ? 1 : atOnce + 1;
      at = clock.monotonic();
      isCalm = (await untilParked(activity, patience)) && atOnce <= mostAtOnce;
      if (cluster.isClosed()) throw clockError(duration, ...closedMeanwhile);
    }
    if (!isCalm) throw clockError(duration, ...endless(cluster, { ran, passed: at - from }));
    at = from + ms;
  } finally {
    runtime.resume(at);
  }
}

function toMs(duration: string | number): number {
  if (typeof duration === "number" && duration < 0)
    throw clockError(duration, "time does not go back", "give a duration from 0 on");
  if (typeof duration === "string" && duration.startsWith("-"))
    throw clockError(duration, "time does not go back", "give a duration from 0 on");
  try {
    return parseDuration(duration);
  } catch (cause) {
    const { message } = cause as Error;
    const problem = message.replace(/^ERR_DURATION: /, "");
    throw clockError(duration, problem, 'give a duration such as "90s" or "1h30m", or ms');
  }
}

function refusalOf(isClosed: boolean, isAdvancing: boolean): readonly [string, string] | undefined {
  if (isClosed) return ["the cluster has been closed", "advance the clock before `close`"];
  if (isAdvancing)
    return ["the clock is being advanced already", "await each `advance` before the next one"];
  return undefined;
}

const closedMeanwhile = [
  "the cluster was closed meanwhile",
  "await `advance` before `close`",
] as const;

function endless(
  cluster: ClockCluster,
  { ran, passed }: { readonly ran: number; readonly passed: number },
): readonly [string, string] {
  const restless = cluster.restless();
  const lines = restless.length > 0 ? `:\n${restless.join("\n")}` : "";
  return [
    `${ran} timers ran, and no end is in sight; the clock stands at +${Math.round(passed)} ms${lines}`,
    "mend what sets timers again and again, or advance by less at a time",
  ];
}

function clockError(duration: unknown, problem: string, hint: string): HomeostatError {
  const by = typeof duration === "number" ? `${duration} ms` : String(duration);
  return new HomeostatError("ERR_TEST_CLOCK", `advancing the clock by ${by}: ${problem}`, { hint });
}
