// What the reflector's steps do about a watch that the server did not end, and the wait after any
// failure. Pure.
import { isLost, patienceFor } from "./reflector-deadline.ts";
import { closeFirst, resume } from "./reflector-requests.ts";
import {
  hopefulFailures,
  type ReflectorFault,
  type ReflectorLimits,
  type ReflectorState,
  type ReflectorStep,
} from "./reflector-state.ts";

/** The server did not end the watch: it forgot, or nothing comes through. */
export function onOvertime(
  state: ReflectorState,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const quiet = now - state.activeAt;
  const isQuiet = quiet >= limits.overtimeMs / 2;
  // What is known to be late has delivered, and is alive; the next watch shows whether it still is.
  const isLate = state.delivered && state.patience > 0;
  if (isLate || !isQuiet)
    return closeFirst(
      resume(
        {
          ...state,
          restarts: state.restarts + 1,
          patience: isLate ? patienceFor(state, 0, limits) : state.patience,
          suspectSince: isQuiet ? state.activeAt : state.suspectSince,
          lostAt: state.lostAt ?? now,
        },
        now,
        limits,
      ),
    );
  const since = state.suspectSince ?? state.activeAt;
  const message = `a watch fell silent: no data for ${Math.round((now - since) / 1000)} s, and no end in time`;
  const suspect: ReflectorState = { ...state, suspectSince: since, next: "resume" };
  const { state: waiting, effects } = backOff(suspect, { message }, now, limits);
  return { state: waiting, effects: [{ do: "linger" }, ...effects, { do: "doubt" }] };
}

/** Waits before doing `state.next`. */
export function backOff(
  state: ReflectorState,
  fault: ReflectorFault,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const failures = state.failures + 1;
  const ms = isOwn(fault) && failures > hopefulFailures ? limits.absentMs : 0;
  return {
    state: {
      ...state,
      phase: "backoff",
      failures,
      restarts: state.restarts + (state.opened ? 1 : 0),
      lastError: fault.message,
      lastCode: fault.code,
      lostAt: isLost(state, now, limits) ? state.lostAt : (state.suspectSince ?? now),
      isUnverified: state.isUnverified || fault.isDisconnected === true,
      opened: false,
    },
    effects: [{ do: "close" }, { do: "wait", ms: Math.max(ms, fault.retryAfterMs ?? 0) }],
  };
}

/** True for a refusal that concerns this kind and not the server. */
function isOwn({ code = 0 }: ReflectorFault): boolean {
  return code >= 400 && code < 500 && code !== 401 && code !== 410 && code !== 429;
}
