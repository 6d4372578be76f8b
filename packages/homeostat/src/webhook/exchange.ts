// One exchange with the API server: a body in, a status and a body out. The decisions of webhooks
// are functions between them and know no socket.
import type { Runtime } from "../runtime/runtime.ts";
import type { Log } from "../util/guard-log.ts";

/** What the API server sends to a path. */
export interface HookRequest {
  readonly contentType: string;
  /** Undefined when it was longer than allowed. */
  readonly body: Uint8Array | undefined;
  /** How long the API server waits; undefined when it does not say. */
  readonly timeoutMs?: number | undefined;
}

/** What it is answered. */
export interface HookResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** The path that converts all kinds, as kubebuilder's. */
export const conversionPath = "/convert";

/** Counts exchanges. Must not throw. */
export interface HookObserver {
  /** A request for `path` has come in whole. Returns what to call with its answer. */
  asked(path: string): (status: number) => void;
  /** Code that answers for `path` threw what it promises to catch. */
  panicked(path: string): void;
}

/** Follows the answer of a review as a span. Must not throw by itself. */
export type ReviewTracer = (
  path: string,
  answer: () => HookResponse | Promise<HookResponse>,
) => HookResponse | Promise<HookResponse>;

/** The effects of webhooks. */
export interface HookEffects {
  readonly runtime: Runtime;
  readonly log: Log;
}

/** A path of the server. */
export interface Hook {
  readonly path: string;
  /** Bytes of a request's body. */
  readonly bodyLimit: number;
  answer(request: HookRequest, effects: HookEffects): Promise<HookResponse> | HookResponse;
}

/** A JSON answer; the API server looks into it, whatever its content says. */
export const jsonResponse = (body: string): HookResponse => ({
  status: 200,
  contentType: "application/json",
  body: `${body}\n`,
});

/**
 * A failure of the webhook itself: one line of text, which the API server repeats; its failure
 * policy decides what becomes of the write.
 */
export const failure = (message: string): HookResponse => ({
  status: 500,
  contentType: "text/plain; charset=utf-8",
  body: message.replace(/\s*\n\s*/g, " "),
});
