// What the reflector's steps learn of errors. Pure.
import type { Kind } from "../api/kind.ts";
import { isApiStatusError, type Status } from "../api/status.ts";
import { isHomeostatError } from "../util/homeostat-error.ts";
import { notFound, type ReflectorFault } from "./reflector-state.ts";

/** A failed request or broken stream of a kind. */
export function toFault(error: unknown, { apiVersion, kind }: Kind): ReflectorFault {
  if (isApiStatusError(error)) {
    const fault = statusFault(error.status);
    if (fault.code !== notFound) return fault;
    const message = `the server does not serve ${apiVersion} ${kind} (is its definition installed?)`;
    return { ...fault, message };
  }
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
