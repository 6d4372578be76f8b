// Clients that write during one term only.
import type { Client } from "../../client/client.ts";
import type { WriteFence } from "../../election/write-fence.ts";

/** A client whose writes the fence refuses when the term is over, and waits for at its end. */
export const fencedClient = (client: Client, fence: WriteFence): Client =>
  client.with({ fence: fence.refusal, requested: fence.sends });

/** What a client for Events needs to know of the term. */
export interface TermOfEvents {
  readonly fence: WriteFence;
  /** Aborts when the term is lost. */
  readonly signal: AbortSignal;
  /** The process gives the term up by itself, and may still report what it did. */
  isResigning(): boolean;
}

/**
 * As `fencedClient`, for Events: those that are left when the term is given up are sent, and hold
 * nothing up; when it is lost, none is.
 */
export const fencedEventClient = (
  client: Client,
  { fence, signal, isResigning }: TermOfEvents,
): Client =>
  client.with({
    signal,
    fence: (method, path) => (isResigning() ? undefined : fence.refusal(method, path)),
  });
