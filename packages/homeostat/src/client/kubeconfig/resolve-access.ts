// Resolves a context of a kubeconfig to what is needed to connect. Files are read through a
// parameter.
// Upstream: k8s.io/client-go/tools/clientcmd/client_config.go (ClientConfig), validation.go.
import type { ClusterAccess } from "./cluster-access.ts";
import { kubeconfigError } from "./kubeconfig-error.ts";
import { type Entry, type Kubeconfig, textField } from "./parse-kubeconfig.ts";
import { readAuth, readImpersonation } from "./read-auth.ts";
import { type FileAccess, readTls } from "./read-tls.ts";

/** Environment of the resolver. */
export interface ResolveOptions extends FileAccess {
  /** Context to use; default the file's current one. */
  readonly context?: string;
  /** The environment's proxy for a server. */
  readonly proxyFor: (server: string) => string | undefined;
}

/** Resolves one context. */
export async function resolveAccess(
  config: Kubeconfig,
  options: ResolveOptions,
): Promise<ClusterAccess> {
  const context = findContext(config, options.context);
  const origin = `context ${JSON.stringify(context.name)} of ${context.file}`;
  const cluster = findEntry(config, context, "cluster");
  const user =
    textField(context, "context", "user") === undefined
      ? undefined
      : findEntry(config, context, "user");
  const impersonation = user && readImpersonation(user);
  const server = readServer(cluster);
  const proxy = readProxy(cluster) ?? options.proxyFor(server);
  return {
    server,
    namespace: textField(context, "context", "namespace") ?? "default",
    tls: await readTls(cluster, user, options),
    // As client-go: credentials are never sent in clear.
    auth: user && server.startsWith("https:") ? readAuth(cluster, user, options) : { type: "none" },
    ...(impersonation ? { impersonation } : {}),
    ...(proxy === undefined ? {} : { proxy }),
    origin,
  };
}

function findContext(config: Kubeconfig, wanted: string | undefined): Entry {
  const name = wanted ?? config.currentContext;
  const found = config.contexts.get(name);
  if (found) return found;
  const files = config.files.join(", ");
  const known =
    [...config.contexts.keys()].map((each) => JSON.stringify(each)).join(", ") || "none";
  const problem = name
    ? `context ${JSON.stringify(name)} does not exist (contexts: ${known})`
    : `current-context is not set and no context was named (contexts: ${known})`;
  throw kubeconfigError(
    "ERR_KUBECONFIG_NO_CONTEXT",
    `reading ${files}: ${problem}`,
    "Name an existing context, or run: kubectl config use-context NAME.",
  );
}

function findEntry(config: Kubeconfig, context: Entry, field: "cluster" | "user"): Entry {
  const entries = field === "cluster" ? config.clusters : config.users;
  const name = textField(context, "context", field);
  const found = name === undefined ? undefined : entries.get(name);
  if (found) return found;
  const known = [...entries.keys()].map((each) => JSON.stringify(each)).join(", ") || "none";
  throw kubeconfigError(
    field === "cluster" ? "ERR_KUBECONFIG_NO_CLUSTER" : "ERR_KUBECONFIG_NO_USER",
    `reading ${context.file}: context ${JSON.stringify(context.name)} names ${field} ${JSON.stringify(name ?? "")}, which does not exist (${field}s: ${known})`,
    `Add the ${field}, or correct the context.`,
  );
}

function readServer(cluster: Entry): string {
  const server = textField(cluster, "cluster", "server");
  const url =
    server === undefined ? null : URL.parse(server.includes("://") ? server : `http://${server}`);
  if (url && (url.protocol === "https:" || url.protocol === "http:"))
    return url.href.replace(/\/+$/, "");
  throw kubeconfigError(
    "ERR_KUBECONFIG_SERVER",
    `reading ${cluster.file}: cluster ${JSON.stringify(cluster.name)}: server must be an http(s) URL such as https://host:6443, got ${JSON.stringify(server ?? "")}`,
    "Correct server.",
  );
}

/** The proxy of the cluster's entry. */
function readProxy(cluster: Entry): string | undefined {
  const proxy = textField(cluster, "cluster", "proxy-url");
  if (proxy === undefined) return undefined;
  const { protocol = "" } = URL.parse(proxy) ?? {};
  if (["http:", "https:", "socks5:"].includes(protocol)) return proxy;
  throw kubeconfigError(
    "ERR_KUBECONFIG_SHAPE",
    `reading ${cluster.file}: cluster ${JSON.stringify(cluster.name)}: proxy-url must be an http, https or socks5 URL, its scheme is ${JSON.stringify(protocol.replace(/:$/, ""))}`,
    "Correct proxy-url.",
  );
}
