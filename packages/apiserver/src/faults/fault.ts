// Faults that a server commits on demand, for tests of controllers in any language: what they do,
// and to whose requests. Plain data, the same in this process and over HTTP.

/** The requests that a fault is for; every given part must match. Default: all requests. */
export interface FaultMatch {
  /** Name of the authenticated user, before impersonation. */
  readonly user?: string;
  /** How the user agent begins. */
  readonly userAgent?: string;
  /** Address and port of the client's end of the connection, e.g. `127.0.0.1:41234`. */
  readonly connection?: string;
  /** Kubernetes' verbs, e.g. `create`, `patch`, `watch`. */
  readonly verbs?: readonly string[];
  /** `pods`, `pods/status`, `deployments.apps`, `deployments.apps/scale`. */
  readonly resources?: readonly string[];
  readonly namespace?: string;
  readonly name?: string;
}

/** What a fault does to a request. */
export type RequestEffect =
  /** Refuses the request; nothing is done. `retryAfterSeconds` also sets the header Retry-After. */
  | {
      readonly type: "error";
      readonly code: number;
      readonly message?: string;
      readonly retryAfterSeconds?: number;
    }
  /**
   * Carries the request out and withholds the answer: the connection is cut, or nothing comes until
   * the fault is removed, and then it is cut.
   */
  | { readonly type: "withhold"; readonly then?: "cut" | "hang" }
  /** Waits before the request is carried out, or before its answer is sent. */
  | { readonly type: "delay"; readonly ms: number; readonly of?: "request" | "answer" }
  /**
   * Answers a list as it was at an older revision; default the one at which the fault was added. A
   * list by watching is refused with 422, so that the client lists instead.
   */
  | { readonly type: "stale"; readonly resourceVersion?: string };

/** What a fault does to the events of open watches; bookmarks are no events. */
export type WatchEffect =
  /** Holds back events, and bookmarks with them, until the fault is removed. */
  | { readonly type: "freeze" }
  /** Leaves the event out. */
  | { readonly type: "skip" }
  /** Ends the watch in place of the event. */
  | { readonly type: "close" };

/** A fault. */
export interface Fault {
  readonly on?: FaultMatch;
  /** Matching requests, or events, that pass before the first one is hit. Default 0. */
  readonly after?: number;
  /** Requests, or events, that are hit. Default: all until the fault is removed. */
  readonly times?: number;
  readonly effect: RequestEffect | WatchEffect;
}

/** A fault that is in effect. */
export interface ActiveFault extends Fault {
  readonly id: string;
  /** Requests, or events, that matched. */
  readonly seen: number;
  /** Of these, those that were hit. */
  readonly hits: number;
}

/** What one client has sent since the server started. */
export interface ClientCount {
  readonly user: string;
  readonly userAgent: string;
  readonly requests: number;
  /** Requests that write, dry runs left out. */
  readonly writes: number;
}

/** The faults of a running server. */
export interface Faults {
  /** @throws TypeError that names what is wrong with `fault` */
  add(fault: Fault): ActiveFault;
  /** False when there is no such fault. What it held back follows. */
  remove(id: string): boolean;
  /** Removes all faults. */
  clear(): void;
  list(): readonly ActiveFault[];
  clients(): readonly ClientCount[];
  /** Ends the open watches that match; returns their number. */
  closeWatches(match?: FaultMatch): number;
}
