// What a session is made of: what all derived clients share, and what each of them changes.
import type { Status } from "../api/status.ts";
import type { Transport } from "../api/transport.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { ApiRequest } from "./client.ts";
import type { ServerPace } from "./server-pace.ts";

/** Observes requests, for metrics and logs. What it throws is one process warning, and no more. */
export interface ClientObserver {
  /** A response's status, or 0 without a response. `durationMs` is that of the attempt. */
  answered?(request: ApiRequest, code: number, durationMs: number): void;
  /** The request is about to be sent again. */
  retried?(request: ApiRequest, afterMs: number, why: Error | Status): void;
  /**
   * A warning of the server, meant for people. Without it, warnings that no derived client's
   * `warned` takes go to standard error, each text once.
   */
  warned?(text: string, request: ApiRequest): void;
}

/** Options of a session; shared by all derived clients. */
export interface SessionOptions {
  readonly transport: Transport;
  readonly runtime: Runtime;
  readonly pace: ServerPace;
  /** Never throws. */
  readonly observer: ClientObserver;
  /** Calls other observers; never throws. */
  readonly observerCalls: {
    call(observe: () => unknown): void;
    callAll<T>(observers: Iterable<(value: T) => unknown>, value: T): void;
  };
  /** Server and origin of address and credentials, for messages. */
  readonly access?: { readonly server: string; readonly origin: string } | undefined;
  /**
   * Headers that change per request: expiring credentials. `rejected` receives a 401 and the
   * authorization it used; resolves to true if one retry is worthwhile.
   */
  readonly credentials?:
    | {
        headers(): Promise<Readonly<Record<string, string>>>;
        rejected(used?: string): Promise<boolean>;
      }
    | undefined;
  /** Takes warnings that nothing else takes. */
  readonly unheard?: ((text: string) => void) | undefined;
  /** The server knows no such path: what discovery said is out of date. */
  readonly unserved?: () => void;
}

/** What derived clients change. */
export interface SessionScope {
  readonly userAgent: string;
  /** Headers that name the user to impersonate. */
  readonly impersonation: Readonly<Record<string, string>>;
  readonly signals: readonly AbortSignal[];
  /** Receive the server's warnings, as the session's observer does. */
  readonly warned: readonly NonNullable<ClientObserver["warned"]>[];
  /** Receive each attempt's result, as the session's observer does. */
  readonly answered: readonly NonNullable<ClientObserver["answered"]>[];
  /** Each may refuse a write at the last moment before it is sent. */
  readonly fences: readonly ((method: string, path: string) => Error | undefined)[];
  /** Requests do not wait for a free connection. */
  readonly isUrgent: boolean;
}
