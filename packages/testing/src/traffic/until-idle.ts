// Waits until nothing moves: between two looks the event loop has come round twice, so that every
// answer, event and key that was under way has arrived.
import type { Traffic } from "./traffic.ts";

/** What may move. */
export interface Activity {
  readonly traffic: Traffic;
  /** Names what is at work beside requests; equal names are equal work. */
  atWork(): readonly string[];
}

/** Turns of the event loop without traffic after which nothing moves any more. */
const quietTurns = 2;
/** Waits of a millisecond after the last traffic until work that goes on waits for something else. */
const workWaits = 25;
const requestWaits = 500;

/** A turn of the event loop, with all its phases. */
export const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Waits until all that goes on waits for time to pass. What the tests' own code waits for cannot be
 * seen: work without a request gets 25 ms after the last traffic, a request half a second. `parked`
 * remembers what did not move, and is not waited for again.
 */
export async function untilParked(activity: Activity, parked: Set<string>): Promise<void> {
  const { traffic } = activity;
  let ticks = traffic.ticks;
  let waits = 0;
  for (let quiet = 0; quiet < quietTurns;) {
    await (waits === 0 ? turn() : pause(1));
    const moving = movingIn(activity).filter((what) => !parked.has(what));
    if (traffic.ticks !== ticks) [ticks, quiet, waits] = [traffic.ticks, 0, 0];
    else if (moving.length === 0) quiet++;
    else if (waits++ >= (traffic.isQuiet ? workWaits : requestWaits))
      for (const what of moving) parked.add(what);
  }
}

function movingIn({ traffic, atWork }: Activity): readonly string[] {
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
