// Where webhooks listen, and by which names the API server reaches them.
import { isIP } from "node:net";
import type { WebhooksOptions } from "./webhooks-options.ts";

/** As controller-runtime. */
const defaultPort = 9443;

/** Where webhooks are. */
export class PlaceOfWebhooks {
  readonly service: WebhooksOptions["service"];
  readonly host: string | undefined;
  readonly port: number;
  /** The name of webhook configurations. */
  readonly configuration: string;
  /** Names and addresses of certificates. */
  readonly names: readonly string[];
  readonly #url: URL | undefined;

  constructor({ service, url, port, host, configuration }: WebhooksOptions, operator: string) {
    this.service = service;
    this.#url = url === undefined ? undefined : new URL(url);
    const named = this.#url?.hostname.replace(/^\[|\]$/g, "");
    this.host = host ?? (named !== undefined && isLoopback(named) ? named : undefined);
    this.port = port ?? (Number(this.#url?.port) || defaultPort);
    this.configuration = configuration ?? operator;
    this.names = service ? serviceNames(service) : [named!];
  }

  /** Sets the port of a URL that names none. */
  opened(port: number): void {
    if (this.#url && this.#url.port === "") this.#url.port = String(port);
  }

  /** The URL of a path; undefined with a Service. */
  urlOf(path: string): string | undefined {
    return this.#url && `${this.#url.href.replace(/\/$/, "")}${path}`;
  }
}

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "::1" || (isIP(host) === 4 && host.startsWith("127."));

/** The API server calls `<name>.<namespace>.svc`; the others are for people. */
const serviceNames = ({ name, namespace }: NonNullable<WebhooksOptions["service"]>) => [
  `${name}.${namespace}.svc`,
  `${name}.${namespace}.svc.cluster.local`,
  `${name}.${namespace}`,
  name,
];
