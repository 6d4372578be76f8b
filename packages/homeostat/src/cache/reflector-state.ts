// The reflector's data: limits, state, inputs and effects. The decisions are in
// reflector.machine.ts.
// Upstream: k8s.io/client-go/tools/cache/reflector.go (800 ms to 30 s, jitter 1.0).

/** Limits in milliseconds. */
export interface ReflectorLimits {
  /** The first back-off delay; it doubles with each failure. */
  readonly firstMs: number;
  /** The longest back-off delay. */
  readonly maxMs: number;
  /** A watch without data for this long is closed; servers send bookmarks every minute. */
  readonly idleMs: number;
  /** Unready after this long without data: the idle limit plus time to reconnect. */
  readonly silentMs: number;
  /** A request without a response for this long is closed. */
  readonly openMs: number;
  /** A streamed list that pauses for this long means that the server does not support it. */
  readonly streamPauseMs: number;
  /** A watch that outlives its requested timeout by this long is closed. */
  readonly overtimeMs: number;
  /** Unready after this long without a watch. */
  readonly unreadyMs: number;
  /** A watch that stays open for this long counts as successful, even without data. */
  readonly healthyMs: number;
  /** The longest back-off delay while the kind is not served: its definition may appear soon. */
  readonly absentMs: number;
  readonly pageSize: number;
}

/** client-go's back-off; the idle limit is one and a quarter bookmark intervals. */
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
  readonly lastError: string | undefined;
}

/** A refused or broken request. `code` is the HTTP status, absent without a response. */
export interface ReflectorFault {
  readonly message: string;
  readonly code?: number;
  readonly retryAfterMs?: number;
  /** The requested revision is in the future: the server was restored from a backup. */
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
  /** The cache was found to differ from the server. */
  | { readonly type: "distrust"; readonly reason: string }
  | { readonly type: "stop" };

export type ReflectorEffect =
  /** Start collecting a new set of objects; drop the collected ones. */
  | { readonly do: "gather" }
  | { readonly do: "list"; readonly limit: number; readonly continue: string }
  | {
      readonly do: "watch";
      readonly resourceVersion: string | undefined;
      readonly sendInitialEvents: boolean;
    }
  /** The collected objects are the state at this revision. */
  | { readonly do: "replace"; readonly resourceVersion: string }
  /** All changes up to this revision have been delivered. */
  | { readonly do: "progress"; readonly resourceVersion: string }
  /** Send `due` after `ms` plus random jitter. */
  | { readonly do: "wait"; readonly ms: number }
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
    timeoutMs: Infinity,
    activeAt: 0,
    lastContact: undefined,
    lostAt: undefined,
    failures: 0,
    relists: -1,
    lastError: undefined,
  };
}
