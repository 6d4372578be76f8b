// The public types of an embedded server: the options it starts with and the handle it returns.
import type { Transport } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import type { UserInfo } from "./apimachinery/user-info.ts";
import type { AuditStream } from "./audit/audit-stream.ts";
import type { AuditOptions } from "./audit/open-audit.ts";
import type { KeyPair } from "homeostat/certificates";
import type { Faults } from "./faults/fault.ts";
import type { FaultsEndpoint } from "./faults/open-faults.ts";
import type { Stage } from "./fake-nodes/stages/stage.ts";
import type { ServiceLocation } from "./webhook-client/webhook-client.ts";

export interface ApiServerOptions {
  /**
   * False opens no port and creates no certificate: only {@link ApiServer.transport} reaches the
   * server. Default true.
   */
  readonly listen?: boolean;
  /** Default 0: a free port. */
  readonly port?: number;
  /** Address to listen on. Default 127.0.0.1. */
  readonly host?: string;
  /** `http` disables TLS and HTTP/2. Default `https`. */
  readonly protocol?: "https" | "http";
  /**
   * Requests client certificates and accepts those of {@link ApiServer.issueClientCertificate}.
   */
  readonly clientCertificates?: boolean;
  /** Requests client certificates and accepts those issued by these authorities (PEM). */
  readonly clientCa?: string;
  /**
   * Serving certificate. Default: one issued by the server's own authority. The kubeconfig trusts
   * only the certificate in use.
   */
  readonly servingCertificate?: KeyPair;
  /** Bearer tokens and their users, in addition to the generated administrator's token. */
  readonly tokens?: ReadonlyMap<string, UserInfo>;
  /**
   * Keeps objects, tokens and the certificate authority in this folder across restarts. Default:
   * everything is in memory.
   */
  readonly dataDir?: string;
  /** With `dataDir`: acknowledged writes survive a power failure, not only a process crash. */
  readonly fsync?: boolean;
  /** Also writes the kubeconfig to this file, with mode 0600. */
  readonly kubeconfigPath?: string;
  /**
   * Admission plug-ins to enable and disable, by kube-apiserver's names. The defaults are
   * kube-apiserver's, except that ServiceAccount is on only with fake nodes and the controller
   * that creates the service accounts it requires.
   */
  readonly admissionPlugins?: {
    readonly enable?: readonly string[];
    readonly disable?: readonly string[];
  };
  /** A file with an AdmissionConfiguration, as kube-apiserver reads it. */
  readonly admissionControlConfigFile?: string;
  /**
   * Authorization modes in order, by kube-apiserver's names: RBAC, AlwaysAllow, AlwaysDeny. Members
   * of system:masters, such as {@link administrator}, may do everything in each of them. Default
   * `["RBAC"]`.
   */
  readonly authorizationModes?: readonly ("AlwaysAllow" | "AlwaysDeny" | "RBAC")[];
  /**
   * Documents of OpenAPI carry upstream's descriptions, which `kubectl explain` prints. They are
   * read when the first document is asked for. Default false: only what documents of custom
   * resources share with built-in kinds, such as object metadata, is described.
   */
  readonly openApiDescriptions?: boolean;
  /**
   * Feature gates by kube-apiserver's names. `StorageVersionMigrator`, off by default, allows the
   * API and the controller of storage version migrations.
   */
  readonly featureGates?: Readonly<Record<string, boolean>>;
  /**
   * APIs to serve that are off by default, as kube-apiserver's `--runtime-config`:
   * `storagemigration.k8s.io/v1beta1` is served if its feature gate is on too.
   */
  readonly runtimeConfig?: Readonly<Record<string, boolean>>;
  /**
   * IPv4 address of the endpoints of the service `kubernetes`; the server need not listen there. As
   * upstream's, a loopback address publishes none. Default: the first address of the machine if all
   * controllers run, else none.
   */
  readonly advertiseAddress?: string;
  /** IPv4 range of cluster IPs. Default `10.0.0.0/24`. */
  readonly serviceClusterIpRange?: string;
  /** Range of node ports. Default `30000-32767`. */
  readonly serviceNodePortRange?: string;
  /** Controllers to run, by kube-controller-manager's names. Default `default`. */
  readonly controllers?: "default" | "all" | "none" | readonly string[];
  /**
   * Creates this many fake nodes and runs pods on them. Adds `pod-lifecycle` to the controllers.
   */
  readonly fakeNodes?: number;
  /**
   * Stages that simulate the lifecycle of pods, nodes or other objects, in addition to the built-in
   * stages for pods. Adds `pod-lifecycle` or `stages` to the controllers.
   */
  readonly stages?: readonly Stage[];
  /**
   * Lets tests ask for faults: {@link ApiServer.faults}, and with `http` also over HTTP on a
   * loopback port with a token of its own. Default: none; a request then costs nothing more.
   */
  readonly faults?: "in-process" | "http";
  /**
   * Records requests: {@link ApiServer.audit}, and a log. Default: none; a request then costs
   * nothing more.
   */
  readonly audit?: AuditOptions;
  /**
   * When {@link startApiServer} resolves: once the controllers have started (`controlling`, the
   * default), or as soon as requests are served (`serving`); controllers then start right after.
   */
  readonly readyWhen?: "controlling" | "serving";
  /**
   * Receives warnings, such as errors that a controller cannot recover from by retrying. Default:
   * `process.emitWarning`.
   */
  readonly warn?: (message: string, error: unknown) => void;
  /**
   * Issuer and signing key of service account tokens. Default: the key of the server's authority.
   */
  readonly serviceAccountTokens?: {
    readonly issuer?: string;
    /** PEM, RSA or EC P-256. */
    readonly privateKey?: string;
  };
  /**
   * Where Services are that webhooks and API services name, by `namespace/name` or
   * `namespace/name:port`: an address, or a handler in this process. Default: a ready endpoint of
   * the Service.
   */
  readonly serviceLocations?: ReadonlyMap<string, ServiceLocation>;
  /** Clock and randomness. Default: the system's. */
  readonly runtime?: Runtime;
  /**
   * Receives each in-process transport, those of the server's own controllers included, and returns
   * the one to use in its place: to count requests, or to disturb them. Default: as it is.
   */
  readonly wrapTransport?: (transport: Transport) => Transport;
  /** Number of past changes kept for watches and exact lists. Default 20,000. */
  readonly keepChanges?: number;
  /**
   * Compaction interval. Revisions older than two intervals can no longer be listed. 0 disables
   * compaction. Default 5 minutes, as kube-apiserver.
   */
  readonly compactionIntervalMs?: number;
  /**
   * Time after its last write at which an Event is deleted. 0 keeps Events forever. Default 1 hour,
   * as kube-apiserver.
   */
  readonly eventTtlMs?: number;
}

/** A running server. `url`, `kubeconfig` and `token` are empty when it does not listen. */
export interface ApiServer {
  readonly url: string;
  readonly port: number;
  /** The administrator's kubeconfig, as YAML. */
  readonly kubeconfig: string;
  /** The administrator's bearer token. */
  readonly token: string;
  /**
   * Creates a transport that calls the server in this process as `user`, by default
   * {@link administrator}. It closes with the server.
   */
  transport(user?: UserInfo): Transport;
  /** The events of requests from now on. Undefined without a policy in the option `audit`. */
  readonly audit: AuditStream | undefined;
  /** Undefined without the option `faults`. */
  readonly faults: Faults | undefined;
  /** Undefined unless the option `faults` is `http`. */
  readonly faultsEndpoint: FaultsEndpoint | undefined;
  /** Issues a client certificate for `user`. Requires the option `clientCertificates`. */
  issueClientCertificate(user: string, groups?: readonly string[]): Promise<KeyPair>;
  /** Stops the controllers, ends all watches and closes port and storage. Idempotent. */
  close(): Promise<void>;
}

/** The user of the generated token and of in-process transports without a user. */
export const administrator: UserInfo = {
  name: "kubernetes-admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Passes a warning on to the option `warn`, or to the process. */
export const warnOf = ({ warn }: ApiServerOptions): NonNullable<ApiServerOptions["warn"]> =>
  warn ?? ((message) => process.emitWarning(message));
