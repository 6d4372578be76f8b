// How long a Lease is held, and how often it is renewed. Pure.
// Upstream: k8s.io/client-go/tools/leaderelection/leaderelection.go (NewLeaderElector, the rules);
// sigs.k8s.io/controller-runtime/pkg/manager/internal.go (the defaults).
import { describeValue } from "../util/describe-error.ts";

/** The timings of an election, in milliseconds. */
export interface ElectionTimings {
  /**
   * Others take the Lease this long after its last renewal that they have seen; whole seconds.
   * Default 15,000.
   */
  readonly leaseDurationMs: number;
  /** A leader that has not renewed for this long stops its work. Default 10,000. */
  readonly renewDeadlineMs: number;
  /** The time between two renewals. Default 2,000. */
  readonly retryPeriodMs: number;
}

export const defaultTimings: ElectionTimings = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/** Upstream's factor: the random part of a period is up to this many periods long. */
export const jitterFactor = 1.2;

const longestMs = 2 ** 31 - 1;

/** The problems of timings, by their names; none when they can work. */
export function checkTimings(given: Partial<ElectionTimings>): readonly string[] {
  const timings = { ...defaultTimings, ...given };
  const wrong = (Object.keys(defaultTimings) as (keyof ElectionTimings)[]).flatMap((name) => {
    const ms: unknown = timings[name];
    const isTime = typeof ms === "number" && ms > 0 && ms <= longestMs;
    return isTime ? [] : [`${name} is ${describeValue(ms)}, expected milliseconds above 0`];
  });
  return wrong.length > 0 ? wrong : checkOrder(timings);
}

function checkOrder(timings: ElectionTimings): readonly string[] {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs } = timings;
  const problems: string[] = [];
  if (leaseDurationMs % 1000 !== 0)
    problems.push(
      `leaseDurationMs is ${leaseDurationMs}, expected whole seconds, as a Lease has them`,
    );
  if (leaseDurationMs <= renewDeadlineMs)
    problems.push(
      `leaseDurationMs is ${leaseDurationMs}, expected more than renewDeadlineMs, ${renewDeadlineMs}`,
    );
  if (renewDeadlineMs <= jitterFactor * retryPeriodMs)
    problems.push(
      `renewDeadlineMs is ${renewDeadlineMs}, expected more than ${jitterFactor} times retryPeriodMs, ${retryPeriodMs}`,
    );
  return problems;
}
