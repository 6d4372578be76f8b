// When to read, take, renew and give up a Lease: the decisions of one candidate, from its first
// look at the Lease to the end of its term. Pure: the driver sends what a step asks for, one
// request at a time, and calls again at `electionDue`.
//
// The rules are client-go's, so that candidates in Go and these respect each other: a Lease expires
// by its own duration after the local time at which its record was last seen to change; a leader
// that cannot renew within the deadline has lost it; whoever takes it counts a transition. It
// deliberately differs: it takes a Lease at the moment of its expiry or release, not at the next of
// its retries; a deadline counts from the sending of the last renewal that succeeded, on the
// monotonic and on the wall clock, whichever runs ahead, because a stopped or suspended process may
// read an old answer; and a Lease that is deleted under its holder is not free before it would have
// expired, because the holder still works.
// Upstream: k8s.io/client-go/tools/leaderelection/leaderelection.go.
import type { Lease, LeaseSpec } from "../k8s/coordination/v1/models.ts";
import { type ElectionTimings, jitterFactor } from "./election-timings.ts";
import { isSameFailure } from "./same-failure.ts";
import {
  durationMs,
  heldSpec,
  holderOf,
  isOlder,
  isSameLease,
  releasedSpec,
} from "./lease-record.ts";

/** Who stands, and by which timings. */
export interface ElectionLimits extends ElectionTimings {
  readonly identity: string;
}

/** A moment on both clocks, in ms. */
export interface Moment {
  readonly at: number;
  readonly wall: number;
}

/** The moment of a step, with a random number in [0, 1). */
export interface Now extends Moment {
  readonly chance: number;
}

export type ElectionRequest = "read" | "acquire" | "renew" | "release";

/** The state of a candidate. */
export interface ElectionState {
  readonly phase: "standing by" | "leading" | "resigning" | "ended";
  /** The Lease as last seen, undefined where it does not exist; the whole is undefined before. */
  readonly seen: { readonly lease: Lease | undefined; readonly changedAt: number } | undefined;
  /** Until when a holder is to be respected whose Lease was deleted. */
  readonly heldUntil: number;
  /** What was seen last is known to be outdated. */
  readonly mustRead: boolean;
  /** A write was refused as outdated, and the Lease has not been seen to change since. */
  readonly isDisputed: boolean;
  /** The request that has no answer yet. */
  readonly asking: { readonly what: ElectionRequest; readonly since: Moment } | undefined;
  /** No request before this time. */
  readonly notBefore: number;
  /** A standby reads the Lease at this time unless it hears of it before. */
  readonly pollAt: number;
  readonly isWatched: boolean;
  /** When the last renewal that succeeded was sent. */
  readonly renewed: Moment | undefined;
  readonly lastError: string | undefined;
}

export type ElectionInput =
  | { readonly type: "start" | "tick" | "resign" }
  /** The watch of the Lease runs, or has broken. */
  | { readonly type: "watching"; readonly is: boolean }
  | { readonly type: "saw"; readonly lease: Lease | undefined; readonly by: "watch" | "read" }
  | { readonly type: "wrote"; readonly lease: Lease }
  /** `outdated`: the Lease is another one than was seen (404, 409). */
  | { readonly type: "failed"; readonly outdated: boolean; readonly error: string };

export type ElectionEffect =
  | { readonly do: "read" }
  /** Writes a record over the Lease as seen, or creates it. */
  | { readonly do: "write"; readonly spec: LeaseSpec; readonly over: Lease | undefined }
  /** The watch has missed a change. */
  | { readonly do: "rewatch" }
  | { readonly do: "led" }
  | { readonly do: "holder"; readonly holder: string | undefined }
  | { readonly do: "failing"; readonly error: string }
  /** The end of a term. */
  | { readonly do: "lost"; readonly why: string }
  | { readonly do: "ended" };

export interface ElectionStep {
  readonly state: ElectionState;
  readonly effects: readonly ElectionEffect[];
}

export const initialElection: ElectionState = {
  phase: "standing by",
  seen: undefined,
  heldUntil: -Infinity,
  mustRead: true,
  isDisputed: false,
  asking: undefined,
  notBefore: -Infinity,
  pollAt: Infinity,
  isWatched: false,
  renewed: undefined,
  lastError: undefined,
};

/** Takes one step. After the end nothing changes any more. */
export function stepElection(
  state: ElectionState,
  input: ElectionInput,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  if (state.phase === "ended") return { state, effects: none };
  const step = take(state, input, now, limits);
  const next = decide(step.state, now, limits);
  return { state: next.state, effects: [...step.effects, ...next.effects] };
}

/** The monotonic time of the next step without news; Infinity for none. */
export function electionDue(state: ElectionState, limits: ElectionLimits): number {
  if (state.phase === "ended") return Infinity;
  const deadline = isLeading(state) ? state.renewed!.at + limits.renewDeadlineMs : Infinity;
  if (state.asking) return deadline;
  return Math.min(deadline, Math.max(requestDue(state, limits), state.notBefore));
}

/** True from the deadline on: the right to write has run out, whatever the Lease says. */
export function isOverdue(renewed: Moment, now: Moment, limits: ElectionTimings): boolean {
  const sinceMs = Math.max(now.at - renewed.at, now.wall - renewed.wall);
  return sinceMs >= limits.renewDeadlineMs;
}

const none: readonly ElectionEffect[] = [];

const isLeading = ({ phase }: ElectionState): boolean => phase === "leading";

function take(
  state: ElectionState,
  input: ElectionInput,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  switch (input.type) {
    case "start":
    case "tick":
      return { state, effects: none };
    case "resign":
      return onResign(state);
    case "watching":
      return onWatching(state, input.is, now, limits);
    case "saw":
      return onSaw(state, input, now, limits);
    case "wrote":
      return onWrote(state, input.lease, now, limits);
    case "failed":
      return onFailed(state, input, now, limits);
  }
}

/** A standby whose request to take the Lease is under way waits for its answer. */
function onResign(state: ElectionState): ElectionStep {
  if (state.phase === "standing by" && state.asking?.what !== "acquire") return end(state);
  return { state: { ...state, phase: "resigning" }, effects: none };
}

function onWatching(
  state: ElectionState,
  isWatched: boolean,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  // A watch that cannot be opened says so again and again: that must not put off the poll.
  const isNews = isWatched || state.isWatched;
  return { state: isNews ? heard({ ...state, isWatched }, now, limits) : state, effects: none };
}

function onSaw(
  before: ElectionState,
  { lease, by }: Extract<ElectionInput, { type: "saw" }>,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  const state = heard(by === "read" ? { ...before, asking: undefined } : before, now, limits);
  const { seen } = state;
  if (by === "watch" && isOlder(lease, seen?.lease)) return { state, effects: none };
  const isSame = seen !== undefined && isSameLease(lease, seen.lease);
  const changedAt = isSame ? seen.changedAt : now.at;
  const heldUntil =
    lease === undefined && seen?.lease ? expiry(seen.lease, seen.changedAt) : state.heldUntil;
  const next = {
    ...state,
    mustRead: false,
    isDisputed: isSame && state.isDisputed,
    heldUntil,
    seen: { lease, changedAt },
  };
  const missed = by === "read" && seen !== undefined && !isSame && state.isWatched;
  const effects: readonly ElectionEffect[] = [
    ...(missed ? [{ do: "rewatch" } as const] : none),
    ...holderChange(state, next),
  ];
  return isDeposed(next, limits)
    ? lose(next, whyDeposed(lease!), effects)
    : { state: next, effects };
}

/** The server's answer to a write: the Lease is as this candidate wants it. */
function onWrote(
  before: ElectionState,
  lease: Lease,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  const { asking } = before;
  const seen = { lease, changedAt: now.at };
  const written = heard({ ...before, asking: undefined, seen, mustRead: false }, now, limits);
  const state = {
    ...written,
    isDisputed: false,
    notBefore: -Infinity,
    lastError: undefined,
  };
  const effects = holderChange(before, state);
  if (asking?.what === "release") return end(state, effects);
  const renewed = asking?.since ?? now;
  if (state.phase !== "standing by") return { state: { ...state, renewed }, effects };
  // An answer that was read too late gives no right; the Lease is taken anew.
  if (isOverdue(renewed, now, limits)) return { state, effects };
  return { state: { ...state, phase: "leading", renewed }, effects: [...effects, { do: "led" }] };
}

function onFailed(
  before: ElectionState,
  { outdated, error }: Extract<ElectionInput, { type: "failed" }>,
  now: Now,
  limits: ElectionLimits,
): ElectionStep {
  const { asking } = before;
  const mustRead = before.mustRead || outdated;
  const answered = { ...before, asking: undefined, mustRead, isDisputed: outdated };
  // A server that refuses a write over what it has just shown would be asked without end.
  if (outdated && !before.isDisputed) return { state: answered, effects: none };
  const state = { ...answered, lastError: error };
  if (state.phase === "resigning") return end(state);
  const isSaid = isSameFailure(before.lastError, error);
  const effects: readonly ElectionEffect[] = isSaid ? none : [{ do: "failing", error }];
  const askedAt = asking?.since.at ?? now.at;
  const periodMs =
    state.phase === "leading"
      ? limits.retryPeriodMs - (now.at - askedAt)
      : limits.retryPeriodMs * (1 + jitterFactor * now.chance);
  return { state: { ...state, notBefore: now.at + Math.max(0, periodMs) }, effects };
}

/** What is due now. */
function decide(state: ElectionState, now: Now, limits: ElectionLimits): ElectionStep {
  if (state.phase === "ended") return { state, effects: none };
  if (state.phase === "leading" && isOverdue(state.renewed!, now, limits))
    return lose(state, whyOverdue(state, limits));
  if (state.asking) return { state, effects: none };
  if (state.phase === "resigning") return release(state, now, limits);
  if (now.at < Math.max(requestDue(state, limits), state.notBefore))
    return { state, effects: none };
  const over = state.seen?.lease;
  if (state.mustRead || (!isLeading(state) && now.at < freeAt(state, limits)))
    return ask(state, "read", now, { do: "read" });
  const { identity, leaseDurationMs } = limits;
  const spec = heldSpec(identity, leaseDurationMs, over, now.wall);
  return ask(state, isLeading(state) ? "renew" : "acquire", now, { do: "write", spec, over });
}

/** When the next request is due, if the last one has not failed. */
function requestDue(state: ElectionState, limits: ElectionLimits): number {
  if (state.mustRead || state.phase === "resigning") return -Infinity;
  if (!isLeading(state)) return Math.min(freeAt(state, limits), state.pollAt);
  return state.seen?.lease ? state.renewed!.at + limits.retryPeriodMs : -Infinity;
}

/** When a standby may take the Lease. */
function freeAt({ seen, heldUntil }: ElectionState, { identity }: ElectionLimits): number {
  if (!seen) return Infinity;
  if (!seen.lease) return heldUntil;
  return holderOf(seen.lease) === identity ? -Infinity : expiry(seen.lease, seen.changedAt);
}

const expiry = (lease: Lease, changedAt: number): number =>
  holderOf(lease) === undefined ? -Infinity : changedAt + durationMs(lease);

function release(state: ElectionState, now: Now, { identity }: ElectionLimits): ElectionStep {
  if (state.mustRead) return ask(state, "read", now, { do: "read" });
  const over = state.seen?.lease;
  if (!over || holderOf(over) !== identity) return end(state);
  return ask(state, "release", now, { do: "write", spec: releasedSpec(over, now.wall), over });
}

function ask(
  state: ElectionState,
  what: ElectionRequest,
  { at, wall }: Now,
  effect: ElectionEffect,
): ElectionStep {
  return { state: { ...state, asking: { what, since: { at, wall } } }, effects: [effect] };
}

const end = (state: ElectionState, effects: readonly ElectionEffect[] = none): ElectionStep => ({
  state: { ...state, phase: "ended" },
  effects: [...effects, { do: "ended" }],
});

const lose = (
  state: ElectionState,
  why: string,
  effects: readonly ElectionEffect[] = none,
): ElectionStep => ({
  state: { ...state, phase: "ended" },
  effects: [...effects, { do: "lost", why }],
});

/** Puts off the next poll: soon without a watch, else after a silence that no holder keeps. */
function heard(state: ElectionState, now: Now, { retryPeriodMs }: ElectionLimits): ElectionState {
  const periods = state.isWatched ? silentPeriods + now.chance : 1 + jitterFactor * now.chance;
  return { ...state, pollAt: now.at + retryPeriodMs * periods };
}

/** A holder renews once in a period. */
const silentPeriods = 2.5;

/** A Lease that was deleted while it is held is made again by its holder. */
const isDeposed = ({ phase, seen }: ElectionState, { identity }: ElectionLimits): boolean =>
  phase === "leading" && seen?.lease !== undefined && holderOf(seen.lease) !== identity;

function whyDeposed(lease: Lease): string {
  const holder = holderOf(lease);
  return holder === undefined ? "its holder was removed" : `${holder} holds it`;
}

function whyOverdue({ lastError }: ElectionState, { renewDeadlineMs }: ElectionLimits): string {
  const because = lastError === undefined ? "" : `: ${lastError}`;
  return `it was not renewed within ${renewDeadlineMs / 1000} s${because}`;
}

function holderChange(before: ElectionState, after: ElectionState): readonly ElectionEffect[] {
  const holder = after.seen?.lease && holderOf(after.seen.lease);
  const known = before.seen?.lease && holderOf(before.seen.lease);
  return before.seen !== undefined && holder === known ? none : [{ do: "holder", holder }];
}
