// The contract of what sends requests to other API servers.
// Upstream: k8s.io/kube-aggregator/pkg/controllers/status/remote (BuildTransportConfig).
import type { Clock } from "homeostat/runtime";
import type { ApiResponse } from "../apimachinery/handler.ts";

/** Where an API server listens, and what it proves. */
export interface ForwardTarget {
  readonly host: string;
  readonly port: number;
  /** The name that its certificate must have. */
  readonly serverName: string;
  /** PEM in base64. */
  readonly caBundle?: string | undefined;
  readonly insecureSkipTLSVerify?: boolean | undefined;
}

/** A request as it is sent. */
export interface ForwardedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Uint8Array;
  /** Until the response has been read. Undefined: none, as watches last. */
  readonly timeoutMs?: number | undefined;
  /** Ends the request when it resolves: the client has left. */
  readonly closed?: Promise<void> | undefined;
  /** Asks for an upgrade of the connection; a response of 101 then takes bytes too. */
  readonly upgrade?: boolean;
}

/** The certificate by which other API servers know this one. */
export interface FrontProxyCertificate {
  readonly cert: string;
  readonly key: string;
  /** PEM of the authority that they are to trust. */
  readonly ca: string;
}

/** Sends requests; rejects with the text of Go's client. */
export interface Forwarder {
  send(target: ForwardTarget, request: ForwardedRequest): Promise<ApiResponse>;
  close(): void;
}

export interface ForwarderOptions {
  readonly clock: Clock;
  readonly certificate: (() => Promise<FrontProxyCertificate>) | undefined;
}
