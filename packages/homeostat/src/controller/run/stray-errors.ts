// Errors that users' code loses: rejections without a handler and exceptions in callbacks. They
// would end the process; an error that belongs to a run is reported there instead. All others
// behave as if nothing listened here.
import { inspect } from "node:util";
import { currentRun } from "./current-run.ts";

const brand = Symbol.for("homeostat.stray-errors");
const events = ["unhandledRejection", "uncaughtException"] as const;

interface StrayListener {
  (error: unknown): void;
  /** Reports the error if it belongs to a run; false if it does not. */
  [brand](error: unknown): boolean;
}

const ownListeners = events.map((event) => [event, createListener(event)] as const);

/**
 * Catches the stray errors of runs from now on, once for the process: a timer of a run may throw
 * long after the last manager has stopped.
 */
export function catchStrayErrors(): void {
  for (const [event, listener] of ownListeners)
    if (!process.listeners(event as "uncaughtException").includes(listener))
      process.on(event, listener);
}

function createListener(event: (typeof events)[number]): StrayListener {
  const listener = (error: unknown): void => {
    const all = process.listeners(event as "uncaughtException") as readonly unknown[];
    const ours = all.filter((one) => isOurs(one));
    if (ours[0] !== listener || ours.some((one) => one[brand](error))) return;
    if (ours.length === all.length) crash(event, error);
  };
  return Object.assign(listener, { [brand]: claim });
}

function claim(error: unknown): boolean {
  const run = currentRun.getStore();
  run?.stray(error);
  return run !== undefined;
}

function isOurs(listener: unknown): listener is StrayListener {
  return typeof listener === "function" && brand in listener;
}

/** Node's default for both events: the error on standard error, exit code 1. */
function crash(event: (typeof events)[number], error: unknown): void {
  if (event === "unhandledRejection" && process.listenerCount("uncaughtException") > 0) {
    const others = process.listeners("uncaughtException").filter((one) => !isOurs(one));
    if (others.length > 0) throw error;
  }
  process.stderr.write(`Uncaught ${inspect(error)}\n`);
  process.exit(1);
}
