// A token bucket whose debt is unbounded: a reservation is never refused, it is given a later
// moment. Pure: time is a parameter.
// Upstream: golang.org/x/time/rate Limiter.Reserve, as k8s.io/client-go/util/workqueue
// TypedBucketRateLimiter uses it.

/** Tokens a second, and how many a full bucket holds. */
export interface Rate {
  readonly qps: number;
  readonly burst: number;
}

/** A bucket, full at first. */
export class TokenBucket {
  readonly #rate: Rate;
  #tokens: number;
  #at = -Infinity;

  constructor(rate: Rate) {
    this.#rate = rate;
    this.#tokens = rate.burst;
  }

  /** Takes a token; returns the milliseconds after which it may be used. */
  reserve(now: number): number {
    const { qps, burst } = this.#rate;
    const gained = this.#at === -Infinity ? 0 : (Math.max(0, now - this.#at) / 1000) * qps;
    this.#tokens = Math.min(burst, this.#tokens + gained) - 1;
    this.#at = Math.max(this.#at, now);
    return this.#tokens >= 0 ? 0 : (-this.#tokens / qps) * 1000;
  }
}
