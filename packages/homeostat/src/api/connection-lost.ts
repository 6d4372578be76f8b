// The error with which transports fail a request whose connection broke.
import { HomeostatError } from "../util/homeostat-error.ts";

const usualHint = "The request may have been carried out; read the object before writing again.";

/** How a connection broke. */
export interface LostConnection {
  readonly server: string;
  readonly why: string;
  readonly hint?: string;
  readonly cause?: unknown;
}

/** ERR_CLIENT_CONNECTION_LOST: nobody knows whether the request was carried out. */
export function connectionLost(
  { method, path }: { readonly method: string; readonly path: string },
  { server, why, hint = usualHint, cause }: LostConnection,
): HomeostatError {
  const problem = "the connection broke before the answer was complete";
  const message = `${method} ${path} at ${server}: ${problem}: ${why}`;
  return new HomeostatError("ERR_CLIENT_CONNECTION_LOST", message, { hint, cause });
}
