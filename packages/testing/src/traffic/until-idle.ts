// Waits until nothing moves: between two looks the event loop has come round, so that every answer,
// event and key that was under way has arrived.
import { pauseFor, realNow, turn } from "./real-time.ts";
import type { Traffic } from "./traffic.ts";

/** What may move. */
export interface Activity {
  readonly traffic: Traffic;
  /** Names what is at work beside requests; equal names are equal work. */
  atWork(): readonly string[];
}

/** What is waited for, and what no more. */
export interface Patience {
  /** Work that did not move and is not waited for again. */
  readonly parked: Set<string>;
  /** In real time. */
  readonly untilMs: number;
}

/**
 * Turns of the event loop without traffic after which a cluster is still. One would do for what the
 * server and its clients do; a test's own code may take one turn more.
 */
const quietTurns = 2;
/** Waits of 1 ms after the last traffic until work that goes on waits for something else. */
const workWaits = 25;
const requestWaits = 500;
/** Turns of the event loop before the first such wait. */
const turnsFirst = 20;

/**
 * Waits until all that goes on waits for time to pass; false when it did not within its patience.
 * What the tests' own code waits for cannot be seen: work without a request gets 25 ms after the
 * last traffic, a request half a second.
 */
export async function untilParked(activity: Activity, patience: Patience): Promise<boolean> {
  const { traffic } = activity;
  const { parked, untilMs } = patience;
  let { ticks } = traffic;
  for (let looks = 0; ;) {
    await (looks < turnsFirst ? turn() : pauseFor(1));
    const hasMoved = traffic.ticks !== ticks;
    const moving = hasMoved ? [] : movingIn(activity).filter((what) => !parked.has(what));
    if (hasMoved) [ticks, looks] = [traffic.ticks, 0];
    else if (moving.length === 0) return true;
    else if (looks++ >= turnsFirst + (traffic.isQuiet ? workWaits : requestWaits))
      for (const what of moving) parked.add(what);
    if (realNow() > untilMs) return false;
  }
}

function movingIn({ traffic, atWork }: Activity): readonly string[] {
  if (traffic.isQuiet) return atWork();
  return [...traffic.open().map(({ method, path }) => `${method} ${path}`), ...atWork()];
}

/** True when nothing has moved while the event loop came round twice. */
export async function isStill({ traffic, atWork }: Activity): Promise<boolean> {
  const { ticks } = traffic;
  const isStillNow = (): boolean =>
    traffic.ticks === ticks && traffic.isQuiet && atWork().length === 0;
  for (let i = 0; i < quietTurns; i++) {
    if (!isStillNow()) return false;
    await turn();
  }
  return isStillNow();
}
