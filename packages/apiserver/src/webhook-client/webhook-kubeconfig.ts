// What a kubeconfig says of the webhooks that a plug-in calls: the credentials of users by the
// names of hosts, and the cluster of the current context. Pure; files are read by its caller.
// Upstream: k8s.io/apiserver/pkg/util/webhook/authentication.go (clientConfig).

/** How the server presents itself to a webhook. */
export interface WebhookCredentials {
  /** Such as `authorization`; several values are joined by newlines. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM, with {@link key}. */
  readonly certificate?: string;
  readonly key?: string;
}

/** Where a kubeconfig's current context is. */
export interface WebhookCluster {
  readonly server: string;
  /** PEM in base64. */
  readonly caBundle?: string;
  readonly skipsVerification: boolean;
  /** The name that the certificate must have; default: that of {@link server}. */
  readonly serverName?: string;
}

/** A kubeconfig whose files have been read. */
export interface WebhookKubeconfig {
  /** By name; why they cannot be used, where that is so. */
  readonly users: ReadonlyMap<string, WebhookCredentials | Error>;
  /** The user of the current context; "" without one. */
  readonly currentUser: string;
  /** Why there is none, else. */
  readonly currentCluster: WebhookCluster | Error;
}

/** Upstream: clientcmd.ErrEmptyConfig. */
export const emptyConfigError =
  "invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable";

/**
 * The credentials for a host and port such as `hook.shop.svc:443`: of the user with that name, with
 * a wildcard (`*.svc:443`), without port 443, or `*`; else those of the current context. Throws if
 * they cannot be used.
 */
export function credentialsFor(
  { users, currentUser }: WebhookKubeconfig,
  hostPort: string,
): WebhookCredentials | undefined {
  const portless = hostPort.endsWith(":443") ? [hostPort.slice(0, -":443".length)] : [];
  const names = [...[hostPort, ...portless].flatMap(withWildcards), "*", currentUser];
  const name = names.find((each) => users.has(each));
  const found = name === undefined ? undefined : users.get(name);
  if (found instanceof Error) throw found;
  return found;
}

function withWildcards(target: string): readonly string[] {
  const steps = target.split(".");
  return [target, ...steps.slice(1).map((_, at) => `*.${steps.slice(at + 1).join(".")}`)];
}
