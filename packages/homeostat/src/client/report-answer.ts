// Tells the observers of a session and of a derived client what came back.
import type { ApiRequest } from "./client.ts";
import { parseWarnings } from "./request/parse-warnings.ts";
import type { SessionOptions, SessionScope } from "./session-options.ts";

/** An attempt has ended. `code` is the status of the answer, or 0 without one. */
export function reportAnswer(
  { observer, observerCalls }: SessionOptions,
  { answered }: SessionScope,
  request: ApiRequest,
  { code, durationMs }: { readonly code: number; readonly durationMs: number },
): void {
  observer.answered?.(request, code, durationMs);
  for (const each of answered) observerCalls.call(() => each(request, code, durationMs));
}

/** The warnings of an answer. */
export function reportWarnings(
  { observer, observerCalls, unheard }: SessionOptions,
  { warned }: SessionScope,
  request: ApiRequest,
  headers: Readonly<Record<string, string>>,
): void {
  if (headers["warning"] === undefined) return;
  for (const text of parseWarnings(headers["warning"])) {
    observer.warned?.(text, request);
    if (warned.length === 0) unheard?.(text);
    for (const each of warned) observerCalls.call(() => each(text, request));
  }
}
