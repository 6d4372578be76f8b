// When to list, watch and wait: the reflector's decisions. Pure; `now` is monotonic ms, randomness
// and turns are the driver's. It never stops for good: every fault leads back to listing or
// watching. It deliberately differs from upstream: it resumes from the last revision after every
// broken stream and relists on 410 only; it waits after every refusal, for its turn among all
// watches of the process (server-pace.ts); and it asks for short watches, because only a stream's
// end proves that the stream was alive.
//
// A stream may fall silent while its connection answers pings, and a quiet kind looks the same. So
// each watch carries a timeout of 7 s (8 with more than 7 watches): the server sends a
// bookmark 2 s before that and ends the response, the connection stays open and is used again, and
// the watch resumes from the bookmark. One that is not ended in time was blind. The cost is one
// small request per watch in 7 s, and no TLS handshake.
// Upstream: k8s.io/client-go/tools/cache/reflector.go (WatchList with fallback to pages);
// k8s.io/apiserver/pkg/storage/cacher/cache_watcher.go (nextBookmarkTime: the bookmark before the
// end).
import { compareResourceVersions } from "../api/resource-version.ts";
import { backOff, onOvertime } from "./reflector-back-off.ts";
import { afterUnreadable, isUnreadableAgain } from "./reflector-fault.ts";
import { closeFirst, relist, resume, touch } from "./reflector-requests.ts";
import {
  isConnecting,
  isGone,
  mustProve,
  overtime,
  withPatience,
  reflectorDeadline,
  verifyDue,
} from "./reflector-deadline.ts";
import {
  notFound,
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
      return onOpened(touch(state, now), input.timeoutMs, now, limits);
    case "gained":
      return { state: { ...state, gainedAt: now }, effects: none };
    case "late":
      return { state: withPatience(state, input.lateMs, limits), effects: none };
    case "doubted":
      return onDoubted(state, now, limits);
    case "verified":
      return onVerified(state, input.resourceVersion, now, limits);
    case "contact":
      return { state: touch(state, now), effects: none };
    case "page":
      return onPage(state, input, now, limits);
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
      return state.phase === "backoff" ? onDue(state, now, limits) : { state, effects: none };
    case "distrust":
      return state.phase === "watching"
        ? closeFirst(relist({ ...state, lastError: input.reason, lostAt: now }, now, limits))
        : { state, effects: none };
    case "widened":
      return onWidened(state, now, limits);
    case "stop":
      return { state: { ...state, phase: "stopped" }, effects: [{ do: "close" }] };
  }
}

function onWidened(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  return isConnecting(state)
    ? closeFirst(relist(state, now, limits))
    : { state: { ...state, next: "relist" }, effects: none };
}

function onDue(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  return state.next === "relist" ? relist(state, now, limits) : resume(state, now, limits);
}

function onOpened(
  state: ReflectorState,
  timeoutMs: number,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const opened = {
    ...state,
    opened: true,
    openedAt: now,
    gainedAt: now,
    timeoutMs,
    absentSince: undefined,
  };
  return now >= verifyDue(opened, limits) ? verify(opened, now) : { state: opened, effects: none };
}

/** Asks what the server counts, again and again until it says so. */
function verify(state: ReflectorState, now: number): ReflectorStep {
  return { state: { ...state, verifiedAt: now }, effects: [{ do: "verify" }] };
}

/** Renews a watch that has been quiet for a second. */
function onDoubted(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  return state.phase === "watching" &&
    state.opened &&
    state.suspectSince === undefined &&
    now - state.activeAt >= limits.suspectMs
    ? closeFirst(resume({ ...state, suspectSince: state.activeAt }, now, limits))
    : { state, effects: none };
}

/**
 * A restored server counts from an earlier revision, and lets a watch wait for the later one in
 * silence (k8s.io/apiserver/pkg/storage/cacher).
 */
function onVerified(
  state: ReflectorState,
  resourceVersion: string,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const { resourceVersion: ours = "", phase } = state;
  if (phase !== "watching") return { state, effects: none };
  if ((compareResourceVersions(resourceVersion, ours) ?? 0) >= 0)
    return { state: { ...state, isUnverified: false }, effects: none };
  const lastError = `the server counts revisions from ${resourceVersion}, before ${ours}: it was restored`;
  return closeFirst(relist({ ...state, lastError, lostAt: now, isRestored: true }, now, limits));
}

function onPage(
  state: ReflectorState,
  page: { readonly resourceVersion: string; readonly continue: string },
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  if (state.phase !== "listing") return { state, effects: none };
  if (state.tokens.includes(page.continue))
    return onFailed(
      touch(state, now),
      { message: "the server answered the same continue token again: the list has no end" },
      now,
      limits,
    );
  if (page.continue)
    return {
      state: { ...touch(state, now), tokens: [...state.tokens, page.continue] },
      effects: [{ do: "list", limit: limits.pageSize, continue: page.continue }],
    };
  const { state: watching, effects } = resume(
    {
      ...touch(state, now),
      absentSince: undefined,
      synced: true,
      unpaged: false,
      ...afterList(page.resourceVersion),
    },
    now,
    limits,
  );
  return {
    state: watching,
    effects: [replaceWith(state, page.resourceVersion), ...effects],
  };
}

/** What a complete list says: it is of the server as it is now. */
function afterList(resourceVersion: string): Partial<ReflectorState> {
  return { resourceVersion, isUnverified: false, isRestored: false, tokens: [] };
}

/** After a step backwards, equal revisions prove nothing. */
function replaceWith(state: ReflectorState, resourceVersion: string): ReflectorEffect {
  const before = state.resourceVersion ?? resourceVersion;
  const isBack = (compareResourceVersions(resourceVersion, before) ?? 0) < 0;
  return state.isRestored || isBack
    ? { do: "replace", resourceVersion, isRestored: true }
    : { do: "replace", resourceVersion };
}

/** What an event or a bookmark says about its watch: it works. */
const afterDelivery = {
  delivered: true,
  failures: 0,
  suspectSince: undefined,
  lastError: undefined,
  lastCode: undefined,
  lostAt: undefined,
  absentSince: undefined,
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
    state: {
      ...state,
      ...afterDelivery,
      phase: "watching",
      synced: true,
      ...afterList(resourceVersion),
      isLong: true,
    },
    effects: [replaceWith(state, resourceVersion)],
  };
}

function onFailed(
  state: ReflectorState,
  fault: ReflectorFault,
  now: number,
  limits: ReflectorLimits,
): ReflectorStep {
  const answered = fault.code === undefined ? state : onAnswer(state, fault.code, now);
  if (state.phase === "streaming" && !state.opened && (fault.code === 400 || fault.code === 422))
    return closeFirst(
      relist({ ...answered, streams: false, relists: state.relists - 1 }, now, limits),
    );
  const forgets = isGone(answered, now, limits);
  // A definition that returns may have other objects, at any revision: they are listed.
  const known = forgets ? { ...answered, resourceVersion: undefined } : answered;
  const isExpired = fault.code === 410 || fault.futureRevision === true;
  const isStuck = fault.isUnreadable === true && isUnreadableAgain(state);
  const next =
    isExpired || isStuck || state.phase !== "watching" || known.resourceVersion === undefined
      ? "relist"
      : "resume";
  const failing: ReflectorState = {
    ...known,
    next,
    unpaged: state.unpaged || (state.phase === "listing" && isExpired),
    isRestored: state.isRestored || fault.futureRevision === true,
    ...(fault.isUnreadable ? afterUnreadable(state, fault) : {}),
  };
  const { state: waiting, effects } = backOff(failing, fault, now, limits);
  if (forgets) return { state: waiting, effects: [...effects, { do: "forget" }] };
  if (!isStuck || failing.complaint === state.complaint) return { state: waiting, effects };
  const message = `listing anew, since an event could not be read twice at revision ${state.resourceVersion}: ${fault.message}`;
  return { state: waiting, effects: [...effects, { do: "complain", message }] };
}

function onAnswer(state: ReflectorState, code: number, now: number): ReflectorState {
  const absentSince = code === notFound ? (state.absentSince ?? now) : undefined;
  return { ...state, lastContact: now, absentSince };
}

/**
 * The server ended the stream normally. At its time, the watch was alive; much sooner and without
 * events, something is wrong.
 */
function onEnded(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  if (state.phase !== "watching" || !state.opened)
    return onFailed(
      state,
      { message: "the server ended the response before it was complete" },
      now,
      limits,
    );
  const lived = now - state.openedAt;
  if (lived >= state.timeoutMs * 0.9) return renew(state, now, limits);
  if (lived >= limits.firstMs && (state.delivered || lived >= limits.healthyMs))
    return closeFirst(resume({ ...state, failures: 0, lostAt: state.lostAt ?? now }, now, limits));
  const message = `the server ended the watch after ${Math.round(lived)} ms`;
  return backOff({ ...state, next: "resume" }, { message }, now, limits);
}

/**
 * The watch was alive to its end, which proves it; without a bookmark, its revision is doubtful.
 */
function renew(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  const isUnverified = state.isUnverified || (!state.delivered && !mustProve(state));
  const isInTime = now - state.openedAt - state.timeoutMs < limits.overtimeMs / 2;
  const patience = isInTime ? 0 : state.patience;
  return closeFirst(resume({ ...state, ...afterDelivery, isUnverified, patience }, now, limits));
}

function onTick(state: ReflectorState, now: number, limits: ReflectorLimits): ReflectorStep {
  if (now < reflectorDeadline(state, limits)) return { state, effects: none };
  if (now >= verifyDue(state, limits)) return verify(state, now);
  const quiet = now - state.activeAt;
  if (state.phase === "streaming" && state.opened)
    return closeFirst(
      relist({ ...state, streams: false, relists: state.relists - 1 }, now, limits),
    );
  if (state.phase === "watching" && state.opened) {
    if (now >= overtime(state, limits)) return onOvertime(state, now, limits);
    if (state.isLong)
      return closeFirst(resume({ ...state, suspectSince: state.activeAt }, now, limits));
  }
  const message = state.opened
    ? `no data from the server for ${Math.round(quiet / 1000)} s`
    : `no response from the server for ${Math.round(quiet / 1000)} s`;
  return onFailed(state, { message }, now, limits);
}
