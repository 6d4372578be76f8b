// What the reflector's steps learn of errors. Pure.
import type { Kind } from "../api/kind.ts";
import { isApiStatusError, type Status } from "../api/status.ts";
import { HomeostatError, isHomeostatError } from "../util/homeostat-error.ts";
import { notFound, type ReflectorFault, type ReflectorState } from "./reflector-state.ts";

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

/** A line of a watch that is no event. */
export function unreadableEvent(line: Uint8Array, error: unknown): ReflectorFault {
  const why = error instanceof Error ? error.message : String(error);
  const text = new TextDecoder().decode(line.subarray(0, 120));
  return { message: `an event that cannot be read (${why}): ${text}`, isUnreadable: true };
}

/** What a user learns of such events. */
export function watchComplaint({ kind, resource }: Kind, message: string): HomeostatError {
  return new HomeostatError("ERR_CLIENT_WATCH_EVENT", `watching ${kind}: ${message}`, {
    hint: `A proxy between client and server may have modified the stream: compare with kubectl get ${resource} --watch -o json.`,
  });
}

/** True for the second event in a row that cannot be read at this revision. */
export function isUnreadableAgain({
  phase,
  resourceVersion,
  unreadableAt,
}: ReflectorState): boolean {
  return phase === "streaming" || (unreadableAt !== undefined && unreadableAt === resourceVersion);
}

/** An event that cannot be read is sent again: a stream of them is requested as a list in pages. */
export function afterUnreadable(
  state: ReflectorState,
  { message }: ReflectorFault,
): Partial<ReflectorState> {
  return {
    streams: state.streams && state.phase !== "streaming",
    unreadableAt: state.resourceVersion,
    complaint: isUnreadableAgain(state) ? message : state.complaint,
  };
}
