// Computes how fresh an informer is, from the reflector's state and the time. Pure.
import type { Freshness } from "./informer.ts";
import { isLost } from "./reflector-deadline.ts";
import { notFound, type ReflectorLimits, type ReflectorState } from "./reflector-state.ts";

/** The status of those that this user may not make. */
const forbidden = 403;

/** Computes the freshness of a state. `wallOffset` is wall time minus monotonic time. */
export function freshnessOf(
  state: ReflectorState,
  now: number,
  wallOffset: number,
  limits: ReflectorLimits,
): Freshness {
  const reason = whyNot(state, now, limits);
  const { phase, synced, resourceVersion, failures, lastError } = state;
  return {
    ready: reason === "",
    reason,
    phase,
    synced,
    lastContact:
      state.lastContact === undefined ? undefined : Math.round(state.lastContact + wallOffset),
    isServed: state.lastCode !== notFound,
    isAllowed: state.lastCode !== forbidden,
    resourceVersion,
    relists: Math.max(0, state.relists),
    restarts: state.restarts,
    failures,
    ...(lastError === undefined ? {} : { lastError }),
  };
}

/** The monotonic time after which readiness may change by itself; Infinity if it cannot. */
export function freshnessDeadline(
  state: ReflectorState,
  now: number,
  limits: ReflectorLimits,
): number {
  if (!state.synced || state.phase === "stopped") return Infinity;
  const silent = (state.lastContact ?? 0) + limits.silentMs;
  const lost = isLost(state, now, limits) ? state.lostAt! + limits.unreadyMs : Infinity;
  return Math.min(...[silent, lost].filter((moment) => moment >= now), Infinity);
}

function whyNot(state: ReflectorState, now: number, limits: ReflectorLimits): string {
  const because = state.lastError === undefined ? "" : `: ${state.lastError}`;
  if (state.phase === "stopped") return "the informer is stopped";
  if (!state.synced) return `the first list is not complete${because}`;
  if (isForgotten(state)) return state.lastError ?? "the server does not serve the kind";
  if (isLost(state, now, limits) && now - state.lostAt! >= limits.unreadyMs)
    return `no watch for ${seconds(now - state.lostAt!)} (limit ${seconds(limits.unreadyMs)})${because}`;
  const quiet = now - (state.lastContact ?? 0);
  return quiet > limits.silentMs
    ? `no data from the server for ${seconds(quiet)} (limit ${seconds(limits.silentMs)})${because}`
    : "";
}

/** True when the kind was served once, and its objects are dropped. */
function isForgotten({ lastCode, resourceVersion }: ReflectorState): boolean {
  return lastCode === notFound && resourceVersion === undefined;
}

function seconds(ms: number): string {
  return `${Math.floor(ms / 1000)} s`;
}
