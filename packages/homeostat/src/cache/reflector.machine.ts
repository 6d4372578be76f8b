// When to list, when to watch, when to wait: the reflector's decisions. Pure; `now` is monotonic
// ms, randomness is the driver's. It never stops for good: every fault leads back to listing or
// watching, always after a growing wait. Where it differs from upstream on purpose: it resumes from
// the last revision after every broken stream and lists anew on 410 only; it backs off on every
// refusal; a stream that falls silent is ended by its own deadline; back-off is reset by the first
// event or bookmark.
// Upstream: k8s.io/client-go/tools/cache/reflector.go (800 ms to 30 s, jitter 1.0; WatchList with
// fallback to pages).

/** Limits in ms. */
export interface ReflectorLimits {
  readonly firstMs: number;
  readonly maxMs: number;
  /** A watch that says nothing for so long is ended; servers send bookmarks every minute. */
  readonly idleMs: number;
  /** No word for so long means unready: the idle limit and time to connect anew. */
  readonly silentMs: number;
  /** A request that is not answered for so long is ended. */
  readonly openMs: number;
  /** A streamed list that pauses for so long is not supported by the server. */
  readonly streamPauseMs: number;
  /** Beyond the timeout that was asked for, after which a watch is ended though events flow. */
  readonly overtimeMs: number;
  /** Not connected for so long means unready. */
  readonly unreadyMs: number;
  /** A watch that lived so long was a success though it said nothing. */
  readonly healthyMs: number;
  /** The longest wait while the kind is not served: its definition may come any moment. */
  readonly absentMs: number;
  readonly pageSize: number;
}

/** client-go's back-off; one bookmark interval and a quarter as idle limit. */
export const reflectorDefaults: ReflectorLimits = {
  firstMs: 800,
  maxMs: 30_000,
  idleMs: 75_000,
  silentMs: 85_000,
  openMs: 30_000,
  streamPauseMs: 10_000,
  overtimeMs: 30_000,
  unreadyMs: 30_000,
  healthyMs: 10_000,
  absentMs: 10_000,
  pageSize: 500,
};

export interface ReflectorState {
  readonly phase: "idle" | "listing" | "streaming" | "watching" | "backoff" | "stopped";
  /** What follows the wait. */
  readonly next: "relist" | "resume";
  /** The last revision known: of a list, an event or a bookmark. */
  readonly resourceVersion: string | undefined;
  /** The server is believed to stream lists. */
  readonly streams: boolean;
  /** Pages expired under way: the next list asks for all at once. */
  readonly unpaged: boolean;
  readonly synced: boolean;
  readonly opened: boolean;
  /** The present watch has brought an event or a bookmark. */
  readonly delivered: boolean;
  readonly openedAt: number;
  readonly timeoutMs: number;
  /** When the present request last gave a sign of life, or was sent. */
  readonly activeAt: number;
  /** When the server was last heard at all. */
  readonly lastContact: number | undefined;
  /**
   * Since when no watch has been heard; a watch counts once it has brought something (see {@link
   * isLost}).
   */
  readonly lostAt: number | undefined;
  readonly failures: number;
  readonly relists: number;
  readonly lastError: string | undefined;
}

/** A refusal or a broken exchange. `code` is HTTP's, absent where nothing was answered. */
export interface ReflectorFault {
  readonly message: string;
  readonly code?: number;
  readonly retryAfterMs?: number;
  /** The server has not reached the revision asked for: it was restored from a backup. */
  readonly futureRevision?: boolean;
}

export type ReflectorInput =
  | { readonly type: "start" }
  | { readonly type: "opened"; readonly timeoutMs: number }
  | { readonly type: "contact" }
  | { readonly type: "page"; readonly resourceVersion: string; readonly continue: string }
  | { readonly type: "event"; readonly resourceVersion: string }
  | {
      readonly type: "bookmark";
      readonly resourceVersion: string;
      readonly initialEventsEnd: boolean;
    }
  | { readonly type: "failed"; readonly fault: ReflectorFault }
  | { readonly type: "ended" }
  | { readonly type: "tick" }
  | { readonly type: "due" }
  /** What is held was found to be wrong. */
  | { readonly type: "distrust"; readonly reason: string }
  | { readonly type: "stop" };

export type ReflectorEffect =
  /** Start gathering a new set of objects, dropping what was gathered. */
  | { readonly do: "gather" }
  | { readonly do: "list"; readonly limit: number; readonly continue: string }
  | {
      readonly do: "watch";
      readonly resourceVersion: string | undefined;
      readonly sendInitialEvents: boolean;
    }
  /** What was gathered is the truth as of this revision. */
  | { readonly do: "replace"; readonly resourceVersion: string }
  /** Nothing older than this revision is outstanding. */
  | { readonly do: "progress"; readonly resourceVersion: string }
  /** Send `due` after `ms` plus a random part of it. */
  | { readonly do: "wait"; readonly ms: number }
  /** End the exchange under way and ignore what still comes of it. */
  | { readonly do: "close" };

/** A new state and what is to be done, in order. */
export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly effects: readonly ReflectorEffect[];
}

const none: readonly ReflectorEffect[] = [];

/** A reflector that has not begun. */
export function idleReflector(): ReflectorState {
  return {
    phase: "idle",
    next: "relist",
    resourceVersion: undefined,
    streams: true,
    unpaged: false,
    synced: false,
    opened: false,
    delivered: false,
    openedAt: 0,
    timeoutMs: Infinity,
    activeAt: 0,
    lastContact: undefined,
    lostAt: undefined,
    failures: 0,
    relists: -1,
    lastError: undefined,
  };
}

/** One step. Inputs that do not fit the phase change nothing. */
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
      return !isConnecting(state)
        ? { state, effects: none }
        : onFailed(state, input.fault, now, limits);
    case "ended":
      return !isConnecting(state) ? { state, effects: none } : onEnded(state, now, limits);
    case "tick":
      return onTick(state, now, limits);
    case "due":
      return state.phase !== "backoff"
        ? { state, effects: none }
        : state.next === "relist"
          ? relist(state, now, limits)
          : resume(state, now);
    case "distrust":
      return state.phase === "watching"
        ? closeFirst(relist({ ...state, lastError: input.reason, lostAt: now }, now, limits))
        : { state, effects: none };
    case "stop":
      return { state: { ...state, phase: "stopped" }, effects: [{ do: "close" }] };
  }
}

/**
 * True when there is no watch to trust: none is open, or the open one is young and has brought
 * nothing yet.
 */
export function isLost(state: ReflectorState, now: number, limits: ReflectorLimits): boolean {
  return (
    state.lostAt !== undefined &&
    !(state.phase === "watching" && state.opened && now - state.openedAt >= limits.healthyMs)
  );
}

/** Monotonic moment at which a `tick` may change something. */
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

/** Events of a streamed list are gathered by the driver; only those after it move the revision. */
function onEvent(state: ReflectorState, resourceVersion: string): ReflectorStep {
  if (state.phase !== "watching") return { state, effects: none };
  return {
    state: {
      ...state,
      resourceVersion,
      delivered: true,
      failures: 0,
      lastError: undefined,
      lostAt: undefined,
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
        delivered: true,
        failures: 0,
        lastError: undefined,
        lostAt: undefined,
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
  return backOff(
    { ...heard, unpaged: state.unpaged || (state.phase === "listing" && gone) },
    next,
    fault,
    now,
    limits,
  );
}

/** The server ended the stream in order. Short streams without news are no success. */
function onEnded(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  if (state.phase !== "watching" || !state.opened)
    return onFailed(
      state,
      { message: "the server ended the answer before it was complete" },
      now,
      limits,
    );
  const lived = now - state.openedAt;
  if (lived >= limits.firstMs && (state.delivered || lived >= limits.healthyMs))
    return closeFirst(resume({ ...state, failures: 0, lostAt: now }, now));
  return backOff(
    state,
    "resume",
    { message: `the server ended the watch after ${Math.round(lived)} ms` },
    now,
    limits,
  );
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
    ? `no word from the server for ${Math.round(quiet / 1000)} s`
    : `no answer from the server for ${Math.round(quiet / 1000)} s`;
  return onFailed(state, { message }, now, limits);
}

function backOff(
  state: ReflectorState,
  next: ReflectorState["next"],
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
      next,
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
