// What an operator says of its webhooks: which, how the API server reaches them, whose certificates
// they use, and who registers them.
import type { AdmissionWebhook } from "./admission/define-webhook.ts";
import type { Conversion } from "./conversion/define-conversion.ts";
import type { Cache } from "../cache/index.ts";
import type { Client } from "../client/client.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { HookObserver, ReviewTracer } from "./exchange.ts";
import type { Log } from "../util/guard-log.ts";

/** The webhooks of an operator. */
export interface WebhooksOptions {
  /** What is served. */
  readonly serve: readonly (AdmissionWebhook | Conversion)[];
  /** The Service that leads to the port, on a cluster. */
  readonly service?: {
    readonly name: string;
    readonly namespace: string;
    /** Default 443. */
    readonly port?: number;
  };
  /**
   * In place of a Service, where the API server reaches this process, such as
   * `https://127.0.0.1:9443`. What is registered by URL is deleted when the manager stops.
   */
  readonly url?: string;
  /** Default 9443, or that of `url`; 0 takes a free one, which `url` then need not name. */
  readonly port?: number;
  /** Default: all addresses; with `url`, its host if that is a loopback address. */
  readonly host?: string;
  /** Default: certificates of their own in a Secret, see {@link SecretCertificates}. */
  readonly certificates?: SecretCertificates | FileCertificates | CertManagerCertificates;
  /**
   * "create": writes the webhook configurations, and the conversion of definitions that are
   * installed. "inject": writes the caBundle into those that exist, and nothing else. Default
   * "create".
   */
  readonly register?: "create" | "inject";
  /** The name of both webhook configurations. Default: the operator's. */
  readonly configuration?: string;
  /**
   * How long connections are still taken when the manager stops, while the API server hears of it.
   * Default 3 s with a Service, else 0.
   */
  readonly drainMs?: number;
}

/**
 * Certificates that the webhooks issue and replace themselves. All replicas share those of one
 * Secret.
 */
export interface SecretCertificates {
  readonly from: "secret";
  /** Its name. Default `<operator>-webhooks`. */
  readonly secret?: string;
  /** Default: that of the Service, else that of the client. */
  readonly namespace?: string;
  /** How long an authority is valid. Default "8760h" (a year). */
  readonly authorityValidity?: string;
  /** How long a serving certificate is valid. Default "2160h" (90 days). */
  readonly leafValidity?: string;
  /** How long two authorities are trusted when one replaces the other. Default "1h". */
  readonly overlap?: string;
}

/** Certificates in files, such as those of a mounted Secret; they are read again on change. */
export interface FileCertificates {
  readonly from: "files";
  readonly cert: string;
  readonly key: string;
  /** The authorities to write into caBundles. */
  readonly ca?: string;
  /** In place of `ca`: the Certificate whose authority cert-manager writes there. */
  readonly injectCaFrom?: string;
}

/** Certificates of cert-manager, read from its Secret; it writes the caBundles itself. */
export interface CertManagerCertificates {
  readonly from: "cert-manager";
  /** `namespace/name` of the Certificate. */
  readonly certificate: string;
  /** The name of its Secret. */
  readonly secret: string;
}

/** What webhooks need of their process. */
export interface WebhooksContext {
  /** The operator's name. */
  readonly operator: string;
  readonly client: Client;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Says what the informers of webhooks wait for. */
  readonly follow?: ((cache: Cache) => { stop(): void }) | undefined;
  readonly trace?: ReviewTracer | undefined;
  /** Counts what is asked of these paths. */
  readonly observe?: ((paths: readonly string[]) => HookObserver) | undefined;
}
