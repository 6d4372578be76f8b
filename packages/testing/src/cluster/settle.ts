// Waits until a test cluster has nothing left to do, or says why that never happens.
import { HomeostatError, type Manager, type ObjectState } from "homeostat";
import { realNow } from "../traffic/real-time.ts";
import type { OpenRequest } from "../traffic/traffic.ts";
import { type Activity, isStill } from "../traffic/until-idle.ts";
import { describeState } from "./describe-state.ts";

/** Limits of {@link TestCluster.settle}. */
export interface SettleOptions {
  /** Default 10 s. */
  readonly timeoutMs?: number | undefined;
  /** Retries within this time are waited for. Default 1 s. */
  readonly horizonMs?: number | undefined;
}

/** The cluster that settles. */
export interface SettlingCluster {
  readonly activity: Activity;
  manager(): Manager | undefined;
  nowMs(): number;
  /** True when a timer's time has come and it has not run. */
  isDue(): boolean;
  /** What the test disturbs, one line each. */
  disturbed(): readonly string[];
  /** So many looks in a row that find it settled suffice. */
  readonly looks: number;
  /** Waits until something may have changed. */
  pause(): Promise<void>;
}

/** @throws ERR_TEST_NOT_SETTLED */
export async function settle(cluster: SettlingCluster, options: SettleOptions = {}): Promise<void> {
  const { timeoutMs = 10_000, horizonMs = 1_000 } = options;
  const end = realNow() + timeoutMs;
  for (let settled = 0; ;) {
    settled = (await isSettled(cluster, horizonMs)) ? settled + 1 : 0;
    if (settled === cluster.looks) return;
    if (realNow() > end) throw notSettled(cluster, timeoutMs, horizonMs);
    await cluster.pause();
  }
}

async function isSettled(cluster: SettlingCluster, horizonMs: number): Promise<boolean> {
  const isResting = (): boolean =>
    !cluster.isDue() && movingStates(cluster, horizonMs).length === 0;
  return isResting() && (await isStill(cluster.activity)) && isResting();
}

function movingStates(
  { manager, nowMs }: SettlingCluster,
  horizonMs: number,
): readonly ObjectState[] {
  const soon = nowMs() + horizonMs;
  const states = manager()?.states() ?? [];
  return states.filter(
    ({ progress, loop }) =>
      loop !== undefined ||
      progress.at === "running" ||
      (progress.at === "retrying" && progress.nextAt <= soon),
  );
}

/** What was reconciled a moment ago, where nothing else says what keeps the controllers busy. */
const runAgain = ({ manager }: SettlingCluster, now: number): readonly ObjectState[] =>
  manager()?.isIdle() === false
    ? manager()!
        .states()
        .filter(({ since }) => now - since < 100)
    : [];

/** Requests that a message shows. */
const mostShown = 5;

function unanswered(open: readonly OpenRequest[]): readonly string[] {
  const shown = open.slice(0, mostShown).map(({ method, path, userAgent }) => {
    return `  no answer yet to ${method} ${path.split("?", 1)[0]} of ${userAgent}`;
  });
  return open.length > mostShown ? [...shown, `  and to ${open.length - mostShown} more`] : shown;
}

function notSettled(
  cluster: SettlingCluster,
  timeoutMs: number,
  horizonMs: number,
): HomeostatError {
  const now = cluster.nowMs();
  const moving = movingStates(cluster, horizonMs);
  const busy = moving.length > 0 ? moving : runAgain(cluster, now);
  const lines = [
    ...busy.map((state) => describeState(state, now)),
    ...unanswered(cluster.activity.traffic.open()),
    ...cluster.disturbed(),
  ];
  return new HomeostatError(
    "ERR_TEST_NOT_SETTLED",
    `the controllers did not settle within ${timeoutMs} ms:\n${lines.join("\n") || "  the queue is never empty"}`,
    {
      hint: "a reconcile that writes a different value each time never settles",
    },
  );
}
