// The ports of a manager: probes on one, metrics on the other. They are opened before anything else
// starts and closed after everything else has stopped, so that a start and a shutdown can be
// watched.
import type { Client } from "../../client/client.ts";
import { guardLog, type Log } from "../../util/guard-log.ts";
import type { Metrics } from "../../metrics/index.ts";
import { metricsMediaType } from "../../metrics/index.ts";
import type { Runtime } from "../../runtime/runtime.ts";
import { createLog } from "../log/create-log.ts";
import { withDelegatedAccess } from "./delegated-access.ts";
import {
  notFoundAnswer,
  openPort,
  type Port,
  type PortAnswer,
  type PortHandler,
  type PortRequest,
} from "./http-port.ts";
import type { IntrospectionSources } from "../introspection/serve-introspection.ts";
import type { HealthOptions, ServedMetricsOptions } from "./serving-options.ts";
import {
  certificateOfFiles,
  type PortCertificate,
  selfSignedCertificate,
} from "./port-certificate.ts";
import { serveProbes } from "./probes.ts";

/** True for a client on this host that means this host: no page of another site reads it. */
function isLocal({ isLoopback, headers }: PortRequest): boolean {
  const name = String(headers["host"] ?? "").replace(/:\d+$/, "");
  return isLoopback && ["localhost", "127.0.0.1", "[::1]"].includes(name);
}

/** What is open without reviews is so to this host. */
const forbiddenAnswer: PortAnswer = {
  status: 403,
  body: "introspection without `authorization` answers this host only\n",
};

/** What the ports serve. */
export interface OperatorServersOptions {
  readonly runtime: Runtime;
  /** Default: as a manager's. */
  readonly log: Log | undefined;
  /** Undefined opens no port for probes. */
  readonly health: HealthOptions | undefined;
  /** Undefined opens no port for metrics. */
  readonly metrics: ServedMetricsOptions | undefined;
  /** Receives the servers' own metrics. */
  readonly set: Metrics;
  /** Sends the reviews of `authorization: "delegated"`. */
  readonly client: Client | undefined;
  readiness(): { readonly ready: boolean; readonly reasons: readonly string[] };
  isStopping(): boolean;
  metricsText(): string;
  readonly introspection: IntrospectionSources;
}

/** What answers on the port of metrics. */
interface Readers {
  readonly handler: PortHandler;
  knows(path: string): boolean;
}

/** The ports that are open, by what they serve. */
export interface OpenPorts {
  readonly health?: number;
  readonly metrics?: number;
}

export class OperatorServers {
  readonly #options: OperatorServersOptions;
  #log: Log;
  readonly #open: { health?: Port; metrics?: Port } = {};
  #certificate: { stop(): void } | undefined;

  constructor(options: OperatorServersOptions) {
    this.#options = options;
    this.#log = options.log ?? { debug() {}, info() {}, warn() {}, error() {} };
  }

  /** Opens the ports, probes first; none stays open when one cannot be. @throws ERR_MANAGER_PORT */
  async start(): Promise<void> {
    const { health, metrics, log } = this.#options;
    if (!health && !metrics) return;
    this.#log = guardLog(log ?? (await createLog()));
    try {
      if (health) await this.#openHealth(health);
      if (metrics) await this.#openMetrics(metrics);
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  ports(): OpenPorts {
    const { health, metrics } = this.#open;
    return {
      ...(health ? { health: health.port } : {}),
      ...(metrics ? { metrics: metrics.port } : {}),
    };
  }

  async stop(): Promise<void> {
    const { health, metrics } = this.#open;
    this.#certificate?.stop();
    delete this.#open.health;
    delete this.#open.metrics;
    await Promise.all([metrics?.close(), health?.close()]);
  }

  async #openHealth({ port = 8081, host, healthz, readyz }: HealthOptions): Promise<void> {
    const { runtime, isStopping, readiness } = this.#options;
    const ping = (): void => {};
    const informers = (): void => {
      const { ready, reasons } = readiness();
      if (!ready) throw new Error(reasons.join("; "));
    };
    const shutdown = (): void => {
      if (isStopping()) throw new Error("the manager is stopping");
    };
    const endpoints = {
      healthz: { ping, ...healthz },
      readyz: { ping, "informer-sync": informers, shutdown, ...readyz },
    };
    const handler = serveProbes(endpoints, runtime.clock);
    const what = "probes";
    this.#open.health = await openPort({ what, port, host, handler, ...this.#effects() });
    this.#log.info(`serving probes on port ${this.#open.health.port}`);
  }

  async #openMetrics(given: ServedMetricsOptions): Promise<void> {
    const { host, authorization } = given;
    const certificate = await this.#certificateOf(given);
    const { port = certificate ? 8443 : 8080 } = given;
    const read = await this.#read(given);
    const handler = authorization ? this.#guarded(read, authorization) : read.handler;
    const opened = await openPort({
      what: "metrics",
      port,
      host,
      handler,
      certificate: certificate?.first,
      ...this.#effects(),
    });
    this.#open.metrics = opened;
    this.#certificate = certificate?.follow((pair) => opened.setCertificate(pair));
    this.#log.info(`serving metrics on port ${opened.port}`, {
      secure: certificate !== undefined,
      authorization: authorization ? "delegated" : "none",
    });
  }

  async #read({ introspection, authorization }: ServedMetricsOptions): Promise<Readers> {
    const { introspection: sources, metricsText } = this.#options;
    const metrics: PortHandler = ({ path }) =>
      path === "/metrics"
        ? { status: 200, contentType: metricsMediaType, body: metricsText() }
        : notFoundAnswer;
    if (!introspection) return { handler: metrics, knows: (path) => path === "/metrics" };
    const { answerIntrospection, introspectionPath } =
      await import("../introspection/serve-introspection.ts");
    const isInspecting = (path: string): boolean => `${path}/`.startsWith(`${introspectionPath}/`);
    return {
      handler(request) {
        if (!isInspecting(request.path)) return metrics(request);
        // With authorization, all that comes here has been reviewed.
        if (!authorization && !isLocal(request)) return forbiddenAnswer;
        return answerIntrospection(request, sources);
      },
      knows: (path) => path === "/metrics" || isInspecting(path),
    };
  }

  #guarded(
    { handler, knows }: Readers,
    authorization: NonNullable<ServedMetricsOptions["authorization"]>,
  ): PortHandler {
    const client = authorization === "delegated" ? this.#options.client! : authorization.client;
    return withDelegatedAccess(handler, { client, knows, ...this.#effects() });
  }

  /** Who is asked for a token must not send it in the clear. */
  async #certificateOf({
    tls,
    authorization,
  }: ServedMetricsOptions): Promise<PortCertificate | undefined> {
    const { runtime, set: metrics } = this.#options;
    const options = { runtime, log: this.#log, metrics };
    if (typeof tls === "object") return certificateOfFiles(tls, options);
    return tls || authorization ? selfSignedCertificate(options) : undefined;
  }

  #effects() {
    return { clock: this.#options.runtime.clock, log: this.#log };
  }
}
