// The client of webhooks: posts one JSON document to a URL or a Service and returns the body of the
// response. Knows nothing of what is posted: admission reviews and conversion reviews are the
// callers' business. The driver, with TLS and connections, loads with the first call.
// Upstream: k8s.io/apiserver/pkg/util/webhook/client.go.
import type { Status } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import type { Handler } from "../apimachinery/handler.ts";
import { loadLate } from "../apimachinery/load-late.ts";
import type { WebhookCredentials } from "./webhook-kubeconfig.ts";

/** Where a webhook is: `clientConfig` of configurations and definitions. */
export interface WebhookClientConfig {
  readonly url?: string | undefined;
  readonly service?:
    | {
        readonly namespace: string;
        readonly name: string;
        readonly path?: string | undefined;
        /** Default 443. */
        readonly port?: number | undefined;
      }
    | undefined;
  /** PEM in base64. Default: the system's authorities. */
  readonly caBundle?: string | undefined;
}

/** Where a Service is reached: at an address, or in this process. */
export type ServiceLocation = { readonly host: string; readonly port: number } | Handler;

/** Finds a Service's location. Throws an error with upstream's message. */
export type ServiceResolver = (namespace: string, name: string, port: number) => ServiceLocation;

/** What a kubeconfig says of a call. */
export interface WebhookAccess extends Partial<WebhookCredentials> {
  readonly skipsVerification?: boolean;
  /** The name that the certificate must have. */
  readonly serverName?: string | undefined;
}

/** One call. */
export interface WebhookCall {
  readonly config: WebhookClientConfig;
  /** JSON. */
  readonly body: string;
  /** How the server presents itself, and what it verifies. */
  readonly access?: WebhookAccess | undefined;
  /** Default 30 s, as upstream's client. */
  readonly timeoutMs?: number | undefined;
  /** What the caller waits, if it is less than what the webhook is told. */
  readonly waitMs?: number | undefined;
}

/** Calls webhooks. */
export interface WebhookClient {
  /**
   * The body of a response with a 2xx status. Rejects with a {@link WebhookError} that has the
   * message of upstream's client.
   */
  post(call: WebhookCall): Promise<Uint8Array>;
  /** Closes idle connections. */
  close(): void;
}

/**
 * A call that failed; `status` if the webhook answered with a failure. `at` is "client" if nothing
 * was sent because of the configuration.
 */
export class WebhookError extends Error {
  override readonly name = "WebhookError";
  readonly status: Status | undefined;
  readonly at: "client" | "call";

  constructor(message: string, status?: Status, at: "client" | "call" = "call") {
    super(message);
    this.status = status;
    this.at = at;
  }
}

/** What a client is made with. */
export interface WebhookClientOptions {
  readonly clock: Clock;
  readonly resolve: ServiceResolver;
}

/** Creates a client. Nothing is loaded before the first call. */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  let driver: WebhookClient | undefined;
  const load = (): WebhookClient =>
    (
      loadLate(import.meta.url, "./post-webhook") as typeof import("./post-webhook.ts")
    ).createWebhookDriver(options);
  return {
    post: async (call) => (driver ??= load()).post(call),
    close: () => driver?.close(),
  };
}
