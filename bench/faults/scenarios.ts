// The faults that are measured, each on a fresh controller. Names and settings are the proxy's.

/** A rule of the proxy. */
export interface FaultRule {
  readonly fault: string;
  readonly id?: string;
  readonly match?: Readonly<Record<string, unknown>>;
  readonly [setting: string]: unknown;
}

/** One fault and how long it lasts. */
export interface Scenario {
  readonly name: string;
  readonly holdMs: number;
  readonly rules: readonly FaultRule[];
  /** Objects that need not converge: those that a slow answer holds up. */
  readonly heldUp?: number;
  /** Watches of the controller beside its three. */
  readonly furtherWatches?: number;
}

const resources = { path: "^/apis?/.*/(widgets|configmaps|secrets)" };
/** Ends the watches that are open, so that they meet the fault too. */
const endWatches: FaultRule = { fault: "cleanEnd", id: "end", live: "only", forMs: 1000 };
const answers = (name: string, holdMs = 12_000): Scenario => ({
  name,
  holdMs,
  rules: [{ fault: name, match: resources }, endWatches],
});
const watches = (name: string, settings: Omit<FaultRule, "fault"> = {}): Scenario => ({
  name,
  holdMs: 12_000,
  rules: [{ fault: name, ...settings }],
});

/** Watches of an operator that has many. */
export const manyWatches = 50;

/** All scenarios. */
export const scenarios: readonly Scenario[] = [
  { name: "none", holdMs: 8000, rules: [] },
  {
    name: "halfOpenConnection",
    holdMs: 40_000,
    rules: [{ fault: "halfOpen", scope: "connection" }],
  },
  {
    name: "halfOpenStream",
    holdMs: 30_000,
    rules: [{ fault: "halfOpen", scope: "stream" }],
  },
  {
    name: "halfOpenOnce",
    holdMs: 20_000,
    rules: [{ fault: "halfOpen", scope: "stream", live: "only" }],
  },
  {
    name: "halfOpenOneOf50",
    holdMs: 25_000,
    rules: [
      { fault: "halfOpen", scope: "stream", live: "only", max: 1, match: { kind: "configmaps" } },
    ],
    furtherWatches: manyWatches - 3,
  },
  {
    name: "halfOpenAllOf50",
    holdMs: 30_000,
    rules: [{ fault: "halfOpen", scope: "stream" }],
    furtherWatches: manyWatches - 3,
  },
  watches("resetAtByte"),
  watches("truncate"),
  watches("cleanEnd", { afterMs: 200 }),
  watches("error410", { afterMs: 200 }),
  answers("http410"),
  answers("tooMany429"),
  answers("error500"),
  answers("error503"),
  answers("token401"),
  { name: "refuseReset", holdMs: 20_000, rules: [{ fault: "refuse", mode: "rst" }] },
  { name: "refuseClosed", holdMs: 20_000, rules: [{ fault: "refuse", mode: "closed" }] },
  watches("watchDelay"),
  watches("dupBookmark"),
  answers("delayedList"),
  { name: "lostAnswer", holdMs: 12_000, rules: [{ fault: "lostAnswer", every: 2 }] },
  { name: "conflict409", holdMs: 12_000, rules: [{ fault: "conflict409", match: resources }] },
  {
    name: "slowAnswer",
    holdMs: 8000,
    rules: [{ fault: "slowAnswer", ms: 30_000, max: 1 }],
    heldUp: 1,
  },
  { name: "restart", holdMs: 12_000, rules: [{ fault: "restart", downMs: 5000 }] },
  {
    name: "mixed",
    holdMs: 20_000,
    rules: [
      { fault: "error500", rate: 0.1, match: { path: "^/apis?/" } },
      { fault: "lostAnswer", every: 5 },
      { fault: "watchDelay", ms: 300, jitterMs: 500 },
      { fault: "refuse", startMs: 5000, periodMs: 10_000, forMs: 2000, match: {} },
    ],
  },
];
