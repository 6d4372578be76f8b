// What the reflector's steps learn of errors. Pure.
import { isApiStatusError, type Status } from "../api/status.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import type { ReflectorFault } from "./reflector-state.ts";

/** A failed request or broken stream. */
export function toFault(error: unknown): ReflectorFault {
  if (isApiStatusError(error)) return statusFault(error.status);
  const message = error instanceof Error ? error.message : String(error);
  return { message, isDisconnected: isHomeostatError(error) };
}

/** A refusal, or an ERROR event. */
export function statusFault({ code, message, details }: Status): ReflectorFault {
  const { retryAfterSeconds, causes } = details ?? {};
  return {
    message: message ?? `the server answered ${code}`,
    code,
    ...(retryAfterSeconds ? { retryAfterMs: retryAfterSeconds * 1000 } : {}),
    ...(causes?.some(({ reason }) => reason === "ResourceVersionTooLarge")
      ? { futureRevision: true }
      : {}),
  };
}
