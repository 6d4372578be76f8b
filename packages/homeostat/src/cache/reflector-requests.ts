// The requests that the reflector's steps begin. Pure.
import { watchLife } from "./reflector-deadline.ts";
import type { ReflectorLimits, ReflectorState, ReflectorStep } from "./reflector-state.ts";

/** Data came from the server. */
export function touch(state: ReflectorState, now: number): ReflectorState {
  return { ...state, activeAt: now, lastContact: now };
}

/** Lists everything: as a stream where the server does that, else in pages. */
export function relist(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  const listed: ReflectorState = {
    ...state,
    phase: state.streams ? "streaming" : "listing",
    relists: state.relists + 1,
    tokens: [],
    activeAt: now,
    opened: false,
    delivered: false,
  };
  if (state.streams)
    return {
      state: listed,
      effects: [
        { do: "gather" },
        {
          do: "watch",
          resourceVersion: undefined,
          sendInitialEvents: true,
          timeoutMs: undefined,
        },
      ],
    };
  return {
    state: listed,
    effects: [
      { do: "gather" },
      { do: "list", limit: state.unpaged ? 0 : limits.pageSize, continue: "" },
    ],
  };
}

/** Watches from the last known revision. */
export function resume(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  const { resourceVersion } = state;
  return {
    state: {
      ...state,
      phase: "watching",
      activeAt: now,
      opened: false,
      delivered: false,
      isLong: false,
    },
    effects: [
      {
        do: "watch",
        resourceVersion,
        sendInitialEvents: false,
        timeoutMs: watchLife(state, limits),
      },
    ],
  };
}

/** The step with the current request closed before it. */
export function closeFirst({ state, effects }: ReflectorStep): ReflectorStep {
  return { state, effects: [{ do: "close" }, ...effects] };
}
