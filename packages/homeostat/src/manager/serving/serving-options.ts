// The options of a manager's ports.
import type { Client } from "../../client/client.ts";
import type { Metrics } from "../../metrics/index.ts";
import type { CertificateFiles } from "./port-certificate.ts";
import type { HealthChecks } from "./probes.ts";

/**
 * Probes: `/healthz` and `/readyz`, each with `?verbose`, `?exclude=` and one path per check.
 */
export interface HealthOptions {
  /** Default 8081; 0 takes a free port. */
  readonly port?: number | undefined;
  /** The address to listen on. Default: all. */
  readonly host?: string | undefined;
  /** Checks of `/healthz` beside `ping`. One that fails for long has kubelet restart the pod. */
  readonly healthz?: HealthChecks | undefined;
  /** Checks of `/readyz` beside `ping`, `informer-sync` and `shutdown`. */
  readonly readyz?: HealthChecks | undefined;
}

/** What is counted, and where it is read. */
export interface MetricsOptions {
  /** The operator's own metrics, read with the manager's. */
  readonly custom?: Metrics | undefined;
  /**
   * The port of `/metrics`. Default 8443 with TLS and 8080 without; 0 takes a free one; false opens
   * none, for programs that serve `manager.metrics()` themselves.
   */
  readonly port?: number | false | undefined;
  /** The address to listen on. Default: all. */
  readonly host?: string | undefined;
  /** A certificate from files, read again when they change. Default: none without authorization. */
  readonly tls?: "self-signed" | CertificateFiles | undefined;
  /**
   * `delegated`: the API server decides who may read, by the `get` of `/metrics` as a non-resource
   * URL. The manager of several clusters needs to be given the client that asks. Default: open.
   */
  readonly authorization?: "delegated" | { readonly client: Client } | undefined;
  /**
   * Serves what the manager does now as JSON, below `/debug/homeostat/v1alpha1` of the same port:
   * with `authorization` to those that may `get` the path, else to clients on this host only.
   */
  readonly introspection?: boolean | undefined;
}

/** Options of a port that is opened. */
export interface ServedMetricsOptions extends MetricsOptions {
  readonly port?: number | undefined;
}
