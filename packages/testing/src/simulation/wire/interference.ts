// Who may interfere with a connection, and how. Everything that a run does to a process, it does
// here.
import type { RequestInfo } from "./read-request.ts";

/** What a process has sent. */
export interface Sent {
  readonly info: RequestInfo;
  readonly isWrite: boolean;
  readonly body: Uint8Array | undefined;
}

/** An answer in place of the server's. */
export interface ForgedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What becomes of a request before it reaches the server. */
export type RequestFate =
  | "send"
  /** The connection breaks. */
  | "cut"
  /** It waits until `released` resolves. */
  | { readonly released: Promise<void> }
  | ForgedAnswer;

/** What becomes of the server's answer. */
export type AnswerFate =
  | "deliver"
  /** The connection breaks. */
  | "cut"
  /** The process never hears of it. */
  | "swallow";

/** What becomes of an event of a watch. */
export type EventFate =
  | "deliver"
  | "twice"
  /** The watch ends in its place. */
  | "end"
  /** It and all that follow wait; what comes then is said by `then`. */
  | { readonly until: Promise<void>; readonly then: "deliver" | "expire" };

/** Interferes with the connection of one process. */
export interface Interference {
  request(sent: Sent): RequestFate;
  answer(sent: Sent, status: number, body: Uint8Array): AnswerFate;
  event(sent: Sent, frame: Uint8Array): EventFate;
}
