// The reflector's data: limits, state, inputs and effects. The decisions are in
// reflector.machine.ts.
// Upstream: k8s.io/client-go/tools/cache/reflector.go.

/** Limits in milliseconds. */
export interface ReflectorLimits {
  /** A watch that ends sooner without an event was broken, whatever the server says. */
  readonly firstMs: number;
  /**
   * Watches ask the server to end them after this long, and resume: the end proves that the stream
   * works, and one that does not come proves that it does not, which nothing else does while a
   * connection answers pings. It is stretched to 8 s when the process has more than 7 watches.
   */
  readonly renewMs: number;
  /** As `renewMs`, for the watch that continues a streamed list; at most `renewMs`. */
  readonly longMs: number;
  /**
   * As `renewMs`, for the next watch after one that broke or fell silent. In whole seconds.
   * Doubled, up to `renewMs`, while what the given up watches bring comes late: a slow link loses
   * nothing.
   */
  readonly suspectMs: number;
  /** A watch that outlives its time by this long is blind, and is closed. */
  readonly overtimeMs: number;
  /** A watch without data for this long is closed; servers send bookmarks every minute. */
  readonly idleMs: number;
  /** Unready after this long without data: the idle limit plus time to reconnect. */
  readonly silentMs: number;
  /** A watch without a response for this long is closed; twice that after each 16 failures. */
  readonly openMs: number;
  /** The longest time without a response, and that of lists. */
  readonly slowMs: number;
  /** A streamed list that brings no new object for this long: the server does not support it. */
  readonly streamPauseMs: number;
  /** A streamed list that is not complete after this long is requested in pages. */
  readonly streamMs: number;
  /** Unready after this long without a watch. */
  readonly unreadyMs: number;
  /** A watch that stays open for this long counts as successful, even without data. */
  readonly healthyMs: number;
  /** The wait after {@link hopefulFailures} refusals that concern this kind alone. */
  readonly absentMs: number;
  /** A kind that the server has refused to know for this long is gone, with all its objects. */
  readonly goneMs: number;
  /** After a lost connection, at most this often: does the server still count from where it did? */
  readonly verifyMs: number;
  readonly pageSize: number;
}

/** The default limits: blind for less than 10 s before it is unready. */
export const reflectorDefaults: ReflectorLimits = {
  firstMs: 800,
  renewMs: 7000,
  longMs: 7000,
  suspectMs: 1000,
  overtimeMs: 1200,
  idleMs: 75_000,
  silentMs: 85_000,
  openMs: 2500,
  slowMs: 30_000,
  streamPauseMs: 10_000,
  streamMs: 60_000,
  unreadyMs: 8000,
  healthyMs: 2000,
  absentMs: 2500,
  goneMs: 3000,
  verifyMs: 2000,
  pageSize: 500,
};

/** The status of lists and watches of a kind that the server does not serve. */
export const notFound = 404;

/** Refusals of a kind alone (forbidden, not served) after which attempts become rarer. */
export const hopefulFailures = 60;

export interface ReflectorState {
  readonly phase: "idle" | "listing" | "streaming" | "watching" | "backoff" | "stopped";
  /** What to do after the back-off. */
  readonly next: "relist" | "resume";
  /** The latest known revision, from a list, an event or a bookmark. */
  readonly resourceVersion: string | undefined;
  /** The server is assumed to support streamed lists (WatchList). */
  readonly streams: boolean;
  /** The pages of a list expired: the next list requests all objects at once. */
  readonly unpaged: boolean;
  readonly synced: boolean;
  readonly opened: boolean;
  /** The current watch has delivered an event or a bookmark. */
  readonly delivered: boolean;
  readonly openedAt: number;
  /** When a streamed list last brought a new object. */
  readonly gainedAt: number;
  /** The watch continues a streamed list, so that the server ends it late. */
  readonly isLong: boolean;
  /** The last watch fell silent then; this one has to prove itself. */
  readonly suspectSince: number | undefined;
  /** How often the time of a watch that has to prove itself is doubled; 0 after one in time. */
  readonly patience: number;
  /** The revision at which the last event that could not be read came. */
  readonly unreadableAt: string | undefined;
  /** The last complaint about such an event. */
  readonly complaint: string | undefined;
  /** The continue tokens of this list so far. */
  readonly tokens: readonly string[];
  /** The server was restored: equal revisions may be of other contents. */
  readonly isRestored: boolean;
  /** The server may have been replaced since its revisions were seen. */
  readonly isUnverified: boolean;
  readonly verifiedAt: number;
  readonly timeoutMs: number;
  /** When the current request last received data, or was sent. */
  readonly activeAt: number;
  /** When data was last received from the server. */
  readonly lastContact: number | undefined;
  /**
   * Since when there is no working watch; a watch works once it has delivered (see {@link isLost}).
   */
  readonly lostAt: number | undefined;
  readonly failures: number;
  readonly relists: number;
  /** Watches that broke or fell silent; those that ended in time do not count. */
  readonly restarts: number;
  readonly lastError: string | undefined;
  /** The HTTP status of the last refusal, until a watch works again. */
  readonly lastCode: number | undefined;
  /** Since when the server has answered nothing but that it does not know this kind. */
  readonly absentSince: number | undefined;
}

/** A refused or broken request. `code` is the HTTP status, absent without a response. */
export interface ReflectorFault {
  readonly message: string;
  readonly code?: number;
  readonly retryAfterMs?: number;
  /** The connection broke, or there was none. */
  readonly isDisconnected?: boolean;
  /** The requested revision is in the future: the server was restored from a backup. */
  readonly futureRevision?: boolean;
  /** An event could not be read. */
  readonly isUnreadable?: boolean;
}

export type ReflectorInput =
  | { readonly type: "start" }
  | { readonly type: "opened"; readonly timeoutMs: number }
  | { readonly type: "contact" }
  /** A streamed list brought a new object. */
  | { readonly type: "gained" }
  /** A watch that was given up brought something, so long after the server must have ended it. */
  | { readonly type: "late"; readonly lateMs: number }
  /** Another watch of the process was blind. */
  | { readonly type: "doubted" }
  /** The revision that the server counts at present. */
  | { readonly type: "verified"; readonly resourceVersion: string }
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
  /** The cache was found to differ from the server. */
  | { readonly type: "distrust"; readonly reason: string }
  /** More objects are to be cached than were listed. */
  | { readonly type: "widened" }
  | { readonly type: "stop" };

export type ReflectorEffect =
  /** Start collecting a new set of objects; drop the collected ones. */
  | { readonly do: "gather" }
  | { readonly do: "list"; readonly limit: number; readonly continue: string }
  | {
      readonly do: "watch";
      readonly resourceVersion: string | undefined;
      readonly sendInitialEvents: boolean;
      /** When the server should end it; undefined: as late as upstream's. */
      readonly timeoutMs: number | undefined;
    }
  /** The collected objects are the state at this revision. */
  | {
      readonly do: "replace";
      readonly resourceVersion: string;
      /** The server was restored: objects of equal revision may differ. */
      readonly isRestored?: true;
    }
  /** The server no longer serves the kind: there are no objects. */
  | { readonly do: "forget" }
  /** All changes up to this revision have been delivered. */
  | { readonly do: "progress"; readonly resourceVersion: string }
  /** Send `due` when it is this one's turn, not before `ms`. */
  | { readonly do: "wait"; readonly ms: number }
  /** A watch was blind: others may be. */
  | { readonly do: "doubt" }
  /** The server sends what cannot be read, and the objects are listed anew. */
  | { readonly do: "complain"; readonly message: string }
  /** Send `verified`. */
  | { readonly do: "verify" }
  /** Give the current watch up, but send `late` when it still brings something. */
  | { readonly do: "linger" }
  /** Close the current request and ignore its remaining data. */
  | { readonly do: "close" };

/** The next state, and effects to run in order. */
export interface ReflectorStep {
  readonly state: ReflectorState;
  readonly effects: readonly ReflectorEffect[];
}

/** A reflector that has not started. */
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
    gainedAt: 0,
    isLong: false,
    suspectSince: undefined,
    patience: 0,
    unreadableAt: undefined,
    complaint: undefined,
    tokens: [],
    isRestored: false,
    isUnverified: false,
    verifiedAt: -Infinity,
    timeoutMs: Infinity,
    activeAt: 0,
    lastContact: undefined,
    lostAt: undefined,
    failures: 0,
    relists: -1,
    restarts: 0,
    lastError: undefined,
    lastCode: undefined,
    absentSince: undefined,
  };
}
