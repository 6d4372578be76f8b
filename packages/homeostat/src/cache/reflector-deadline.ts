// When the reflector must act by itself, and whether its watch works. Pure.
import type { ReflectorLimits, ReflectorState } from "./reflector-state.ts";

/** True without a working watch: none is open, or the open one is new and has delivered nothing. */
export function isLost(state: ReflectorState, now: number, limits: ReflectorLimits): boolean {
  return (
    state.lostAt !== undefined &&
    !(state.phase === "watching" && state.opened && now - state.openedAt >= limits.healthyMs)
  );
}

/** The monotonic time at which the next `tick` may have an effect. */
export function reflectorDeadline(state: ReflectorState, limits: ReflectorLimits): number {
  if (!isConnecting(state)) return Infinity;
  if (!state.opened) return state.activeAt + openLimit(state, limits);
  switch (state.phase) {
    case "streaming":
      return Math.min(
        Math.max(state.openedAt, state.gainedAt) + limits.streamPauseMs,
        state.openedAt + limits.streamMs,
      );
    case "watching":
      return Math.min(
        state.activeAt + quietLimit(state, limits),
        overtime(state, limits),
        verifyDue(state, limits),
      );
    default:
      return state.activeAt + limits.slowMs;
  }
}

/** The monotonic time at which to ask the server what it counts. */
export function verifyDue(state: ReflectorState, { verifyMs }: ReflectorLimits): number {
  const { phase, opened, isUnverified, verifiedAt } = state;
  return phase === "watching" && opened && isUnverified ? verifiedAt + verifyMs : Infinity;
}

/**
 * A server that is only slow is given more time by and by; after a watch that fell silent, no more
 * than a watch lives.
 */
function openLimit(state: ReflectorState, limits: ReflectorLimits): number {
  const { phase, failures, suspectSince } = state;
  if (phase === "listing") return limits.slowMs;
  const patience = 2 ** Math.floor(failures / 16);
  const mostMs = suspectSince === undefined ? limits.slowMs : limits.renewMs;
  return Math.min(limits.openMs * patience, mostMs);
}

/** The watch that a streamed list becomes has no short timeout: it is renewed once it is quiet. */
function quietLimit({ isLong }: ReflectorState, limits: ReflectorLimits): number {
  return isLong ? limits.longMs : limits.idleMs;
}

/** The monotonic time by which the server must have ended the watch. */
export function overtime(state: ReflectorState, limits: ReflectorLimits): number {
  const graceMs = mustProve(state) ? proofGrace(state.patience, limits) : limits.overtimeMs;
  return state.openedAt + state.timeoutMs + graceMs;
}

/** How long the next watch may live. */
export function watchLife(state: ReflectorState, limits: ReflectorLimits): number {
  return mustProve(state) ? proofLife(state.patience, limits) : limits.renewMs;
}

/** The patience that a watch needs on a link that is late by at least `lateMs`. */
export function patienceFor(
  { patience }: ReflectorState,
  lateMs: number,
  limits: ReflectorLimits,
): number {
  const most = Math.ceil(Math.log2(limits.renewMs / limits.suspectMs));
  let next = patience + 1;
  while (next < most && proofLife(next, limits) + proofGrace(next, limits) < lateMs) next++;
  return Math.min(next, most);
}

/** After a watch that was given up brought something so long after its end was due. */
export function withPatience(
  state: ReflectorState,
  lateMs: number,
  limits: ReflectorLimits,
): ReflectorState {
  return { ...state, patience: patienceFor(state, lateMs + limits.suspectMs, limits) };
}

function proofLife(patience: number, { suspectMs, renewMs }: ReflectorLimits): number {
  return Math.min(suspectMs * 2 ** patience, renewMs);
}

function proofGrace(patience: number, { overtimeMs }: ReflectorLimits): number {
  return Math.min((overtimeMs / 2) * 2 ** patience, overtimeMs * 2);
}

/**
 * True when the next watch has to prove itself soon: the last one broke, fell silent or was late.
 */
export function mustProve({ failures, suspectSince, patience }: ReflectorState): boolean {
  return failures > 0 || suspectSince !== undefined || patience > 0;
}

export function isConnecting({ phase }: ReflectorState): boolean {
  return phase === "listing" || phase === "streaming" || phase === "watching";
}

/** True when a kind whose objects are held is gone. One answer may come from a server that lags. */
export function isGone(
  { absentSince, resourceVersion }: ReflectorState,
  now: number,
  { goneMs }: ReflectorLimits,
): boolean {
  const isHeld = resourceVersion !== undefined;
  return isHeld && absentSince !== undefined && now - absentSince >= goneMs;
}
