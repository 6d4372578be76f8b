// When to list, watch and wait: the reflector's decisions. Pure; `now` is monotonic ms, randomness
// is the driver's. It never stops for good: every fault leads back to listing or watching, after a
// growing delay. It deliberately differs from upstream: it resumes from the last revision after
// every broken stream and relists on 410 only; it backs off on every refusal; it closes silent
// streams itself; the first event or bookmark resets the back-off.
// Upstream: k8s.io/client-go/tools/cache/reflector.go (WatchList with fallback to pages).
import {
  type ReflectorEffect,
  type ReflectorFault,
  type ReflectorInput,
  type ReflectorLimits,
  type ReflectorState,
  type ReflectorStep,
} from "./reflector-state.ts";

const none: readonly ReflectorEffect[] = [];

/** Takes one step. Inputs that do not apply to the phase change nothing. */
export function stepReflector(
  state: ReflectorState,
  input: ReflectorInput,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  if (state.phase === "stopped") return { state, effects: none };
  switch (input.type) {
    case "start":
      return state.phase === "idle"
        ? relist({ ...state, lostAt: now }, now, limits)
        : { state, effects: none };
    case "opened":
      return {
        state: { ...touch(state, now), opened: true, openedAt: now, timeoutMs: input.timeoutMs },
        effects: none,
      };
    case "contact":
      return { state: touch(state, now), effects: none };
    case "page":
      return state.phase === "listing"
        ? onPage(touch(state, now), input, now, limits)
        : { state, effects: none };
    case "event":
      return onEvent(touch(state, now), input.resourceVersion);
    case "bookmark":
      return onBookmark(touch(state, now), input);
    case "failed":
      return isConnecting(state)
        ? onFailed(state, input.fault, now, limits)
        : { state, effects: none };
    case "ended":
      return isConnecting(state) ? onEnded(state, now, limits) : { state, effects: none };
    case "tick":
      return onTick(state, now, limits);
    case "due":
      if (state.phase !== "backoff") return { state, effects: none };
      return state.next === "relist" ? relist(state, now, limits) : resume(state, now);
    case "distrust":
      return state.phase === "watching"
        ? closeFirst(relist({ ...state, lastError: input.reason, lostAt: now }, now, limits))
        : { state, effects: none };
    case "stop":
      return { state: { ...state, phase: "stopped" }, effects: [{ do: "close" }] };
  }
}

/** True without a working watch: none is open, or the open one is new and has delivered nothing. */
export function isLost(state: ReflectorState, now: number, limits: ReflectorLimits): boolean {
  return (
    state.lostAt !== undefined &&
    !(state.phase === "watching" && state.opened && now - state.openedAt >= limits.healthyMs)
  );
}

/** The monotonic time at which the next `tick` may have an effect. */
export function reflectorDeadline(state: ReflectorState, limits: ReflectorLimits): number {
  const quiet = state.activeAt + quietLimit(state, limits);
  const overtime =
    state.phase === "watching" && state.opened
      ? state.openedAt + state.timeoutMs + limits.overtimeMs
      : Infinity;
  switch (state.phase) {
    case "idle":
    case "stopped":
    case "backoff":
      return Infinity;
    default:
      return Math.min(quiet, overtime);
  }
}

function quietLimit(state: ReflectorState, limits: ReflectorLimits): number {
  if (state.phase === "streaming") return limits.streamPauseMs;
  return state.phase === "watching" && state.opened ? limits.idleMs : limits.openMs;
}

function isConnecting({ phase }: ReflectorState): boolean {
  return phase === "listing" || phase === "streaming" || phase === "watching";
}

function touch(state: ReflectorState, now: number): ReflectorState {
  return { ...state, activeAt: now, lastContact: now };
}

function relist(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  const listed: ReflectorState = {
    ...state,
    phase: state.streams ? "streaming" : "listing",
    relists: state.relists + 1,
    activeAt: now,
    opened: false,
    delivered: false,
  };
  if (state.streams)
    return {
      state: listed,
      effects: [
        { do: "gather" },
        { do: "watch", resourceVersion: undefined, sendInitialEvents: true },
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

function resume(state: ReflectorState, now: number): ReflectorStep {
  return {
    state: { ...state, phase: "watching", activeAt: now, opened: false, delivered: false },
    effects: [{ do: "watch", resourceVersion: state.resourceVersion, sendInitialEvents: false }],
  };
}

function onPage(
  state: ReflectorState,
  page: { readonly resourceVersion: string; readonly continue: string },
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  if (page.continue)
    return { state, effects: [{ do: "list", limit: limits.pageSize, continue: page.continue }] };
  const { state: watching, effects } = resume(
    { ...state, synced: true, unpaged: false, resourceVersion: page.resourceVersion },
    now,
  );
  return {
    state: watching,
    effects: [{ do: "replace", resourceVersion: page.resourceVersion }, ...effects],
  };
}

/** What an event or a bookmark says about its watch: it works. */
const afterDelivery = {
  delivered: true,
  failures: 0,
  lastError: undefined,
  lostAt: undefined,
} as const;

/** Events of a streamed list are collected by the driver; later events advance the revision. */
function onEvent(state: ReflectorState, resourceVersion: string): ReflectorStep {
  if (state.phase !== "watching") return { state, effects: none };
  return {
    state: {
      ...state,
      resourceVersion,
      ...afterDelivery,
    },
    effects: none,
  };
}

function onBookmark(
  state: ReflectorState,
  {
    resourceVersion,
    initialEventsEnd,
  }: { readonly resourceVersion: string; readonly initialEventsEnd: boolean },
): ReflectorStep {
  if (state.phase === "watching")
    return {
      state: {
        ...state,
        resourceVersion,
        ...afterDelivery,
      },
      effects: [{ do: "progress", resourceVersion }],
    };
  if (state.phase !== "streaming" || !initialEventsEnd) return { state, effects: none };
  return {
    state: { ...state, phase: "watching", synced: true, resourceVersion, lostAt: undefined },
    effects: [{ do: "replace", resourceVersion }],
  };
}

function onFailed(
  state: ReflectorState,
  fault: ReflectorFault,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const heard = fault.code === undefined ? state : { ...state, lastContact: now };
  if (state.phase === "streaming" && !state.opened && (fault.code === 400 || fault.code === 422))
    return closeFirst(
      relist({ ...heard, streams: false, relists: state.relists - 1 }, now, limits),
    );
  const gone = fault.code === 410 || fault.futureRevision === true;
  const next =
    gone || state.phase !== "watching" || state.resourceVersion === undefined ? "relist" : "resume";
  const unpaged = state.unpaged || (state.phase === "listing" && gone);
  return backOff({ ...heard, next, unpaged }, fault, now, limits);
}

/** The server ended the stream normally. Short streams without events count as failures. */
function onEnded(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  if (state.phase !== "watching" || !state.opened)
    return onFailed(
      state,
      { message: "the server ended the response before it was complete" },
      now,
      limits,
    );
  const lived = now - state.openedAt;
  if (lived >= limits.firstMs && (state.delivered || lived >= limits.healthyMs))
    return closeFirst(resume({ ...state, failures: 0, lostAt: now }, now));
  const message = `the server ended the watch after ${Math.round(lived)} ms`;
  return backOff({ ...state, next: "resume" }, { message }, now, limits);
}

function onTick(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  if (now < reflectorDeadline(state, limits)) return { state, effects: none };
  const quiet = now - state.activeAt;
  if (state.phase === "streaming" && state.opened)
    return closeFirst(
      relist({ ...state, streams: false, relists: state.relists - 1 }, now, limits),
    );
  if (quiet < quietLimit(state, limits)) return closeFirst(resume({ ...state, lostAt: now }, now));
  const message = state.opened
    ? `no data from the server for ${Math.round(quiet / 1000)} s`
    : `no response from the server for ${Math.round(quiet / 1000)} s`;
  return onFailed(state, { message }, now, limits);
}

/** Waits before doing `state.next`. */
function backOff(
  state: ReflectorState,
  fault: ReflectorFault,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const recovered =
    state.phase === "watching" && state.opened && now - state.openedAt >= limits.healthyMs;
  const failures = (recovered ? 0 : state.failures) + 1;
  const longest = fault.code === 404 ? limits.absentMs : limits.maxMs;
  const ms = Math.max(
    Math.min(limits.firstMs * 2 ** (failures - 1), longest),
    fault.retryAfterMs ?? 0,
  );
  return {
    state: {
      ...state,
      phase: "backoff",
      failures,
      lastError: fault.message,
      lostAt: isLost(state, now, limits) ? state.lostAt : now,
      opened: false,
    },
    effects: [{ do: "close" }, { do: "wait", ms }],
  };
}

function closeFirst({ state, effects }: ReflectorStep): ReflectorStep {
  return { state, effects: [{ do: "close" }, ...effects] };
}
