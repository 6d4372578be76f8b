// Access to one API server as one user: the result of loading a kubeconfig or in-cluster
// configuration.

/** PEM texts and switches for TLS. */
export interface TlsAccess {
  /** Trusted authorities; the system's when absent. */
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  /** The files that these come from; read again while the client runs. */
  readonly files?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  readonly serverName?: string;
  readonly insecureSkipVerify?: boolean;
}

/** A credential plug-in, as kubeconfig's `exec`. */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  /** Never, IfAvailable or Always: whether the plug-in may ask the user at the terminal. */
  readonly interactiveMode: string;
  /** What the cluster's entry has for the plug-in: its extension of that name. */
  readonly config?: unknown;
  /** proxy-url and disable-compression of the cluster's entry. */
  readonly proxyUrl?: string;
  readonly disableCompression?: boolean;
}

/** The auth-provider "oidc" of a kubeconfig's user. */
export interface OidcProvider {
  /**
   * As in the file: idp-issuer-url, client-id, client-secret, id-token, refresh-token,
   * idp-certificate-authority, idp-certificate-authority-data.
   */
  readonly config: Readonly<Record<string, string>>;
  /** Where refreshed tokens are written to; nowhere if the kubeconfig is no file. */
  readonly savedIn?: { readonly file: string; readonly user: string };
}

/** The authentication method; client certificates are part of TLS. */
export type AuthMethod =
  | { readonly type: "none" }
  | { readonly type: "token"; readonly token: string }
  | { readonly type: "tokenFile"; readonly path: string }
  | { readonly type: "basic"; readonly username: string; readonly password: string }
  | { readonly type: "exec"; readonly plugin: ExecPlugin }
  | { readonly type: "oidc"; readonly provider: OidcProvider };

/** Impersonation of another user. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** One server, one user, one default namespace. */
export interface ClusterAccess {
  /** e.g. `https://10.0.0.1:6443`, optionally with a path before `/api`. */
  readonly server: string;
  readonly namespace: string;
  readonly tls: TlsAccess;
  readonly auth: AuthMethod;
  readonly impersonation?: Impersonation;
  /** An http, https or socks5 proxy, of the kubeconfig or the environment. */
  readonly proxy?: string;
  /** Where the access comes from, for messages, e.g. `context "dev" of /home/me/.kube/config`. */
  readonly origin: string;
}
