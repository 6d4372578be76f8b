// The option `watchdog` of a manager.
import { describeValue } from "../../util/describe-error.ts";
import { isOptions, unknownOptions } from "../../util/option-faults.ts";

/** Options of the watchdog of the event loop. */
export interface WatchdogOptions {
  /** The loop is blocked when it has not turned for so long. Default 5000; at least 500. */
  readonly afterMs?: number | undefined;
}

const leastMs = 500;

/** Problems of `watchdog`. */
export function checkWatchdog(watchdog: unknown): string[] {
  if (watchdog === undefined || typeof watchdog === "boolean") return [];
  if (!isOptions(watchdog))
    return [`watchdog is ${describeValue(watchdog)}, expected true or options`];
  const { afterMs } = watchdog as { readonly afterMs?: unknown };
  const isTime = typeof afterMs === "number" && Number.isFinite(afterMs) && afterMs >= leastMs;
  return [
    ...unknownOptions(watchdog, ["afterMs"]),
    ...(afterMs === undefined || isTime
      ? []
      : [`afterMs is ${describeValue(afterMs)}, expected milliseconds, at least ${leastMs}`]),
  ].map((problem) => `watchdog.${problem}`);
}

/** The time after which the loop counts as blocked; undefined without a watchdog. */
export function blockedAfterMs(watchdog: boolean | WatchdogOptions | undefined) {
  if (watchdog === undefined || watchdog === false) return undefined;
  return (watchdog === true ? undefined : watchdog.afterMs) ?? 5000;
}
