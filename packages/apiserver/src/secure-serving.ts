// Opens the port: serving certificate, trusted client authorities and the kubeconfig that leads
// there. Imports TLS and certificate code only when it is used.
// Upstream: k8s.io/apiserver/pkg/server/options/serving.go and secure_serving.go.
import type { Runtime } from "homeostat/runtime";
import type { ApiServerOptions } from "./api-server-options.ts";
import { reasonOf, ServerError } from "./apimachinery/errors/server-error.ts";
import type { KeyPair } from "homeostat/certificates";
import type { Identity } from "./certificates/identity.ts";
import { formatKubeconfig, writeKubeconfig } from "./http/kubeconfig.ts";
import type { LateHandler } from "./http/late-handler.ts";
import type { Listener, ServingTls } from "./http/listen.ts";
import { frontProxyUser } from "./post-start-hooks/front-proxy-trust.ts";

/** The default of the option `host`. */
export const defaultHost = "127.0.0.1";

/** Listens as the options say. @throws ServerError when the port or address cannot be used. */
export async function openPort(
  { handler, upgrades }: LateHandler,
  identity: Identity,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<Listener> {
  const { listen } = await import("./http/listen.ts");
  const { host = defaultHost, port = 0, protocol } = options;
  const tls = protocol === "http" ? {} : { tls: await servingTls(identity, options, runtime) };
  try {
    return await listen(handler, { port, host, upgrades, ...tls });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE")
      throw new ServerError(
        "ERR_SERVER_PORT_IN_USE",
        `listen on ${host}:${port}: the port is in use; stop the process that uses it, or choose another port (0 selects a free one)`,
        { cause: error },
      );
    throw new ServerError("ERR_SERVER_LISTEN", `listen on ${host}:${port}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** The certificate that clients of this server must trust; empty without TLS. */
export const rootCaOf = (
  identity: Identity | undefined,
  { protocol, servingCertificate }: ApiServerOptions,
): { readonly rootCa?: string } =>
  identity && protocol !== "http"
    ? { rootCa: servingCertificate?.cert ?? identity.authority.cert }
    : {};

/**
 * The trusted client authorities as one PEM text, published in extension-apiserver-authentication.
 */
export function clientCaOf(
  identity: Identity | undefined,
  options: ApiServerOptions,
): Pick<ApiServerOptions, "clientCa"> {
  const authorities = identity ? clientAuthorities(identity, options) : [];
  return authorities.length ? { clientCa: authorities.join("") } : {};
}

/**
 * Issues a client certificate. @throws ServerError when the server does not request client
 * certificates.
 */
export async function issueCertificateFor(
  identity: Identity | undefined,
  runtime: Runtime,
  subject: { readonly user: string; readonly groups: readonly string[] },
): Promise<KeyPair> {
  if (!identity)
    throw new ServerError(
      "ERR_SERVER_NO_CLIENT_CERTIFICATES",
      `issue a client certificate for ${subject.user}: this server does not request client certificates; start it with clientCertificates: true`,
    );
  const { issueClientCertificate } = await import("homeostat/certificates");
  return issueClientCertificate(identity.authority, { runtime, ...subject });
}

/** Issues the certificate by which this server asks others, once, when it is first needed. */
export function frontProxyOf(
  { authority }: Identity,
  runtime: Runtime,
): () => Promise<KeyPair & { readonly ca: string }> {
  let issued: (KeyPair & { readonly ca: string }) | undefined;
  return async () => {
    const { issueClientCertificate } = await import("homeostat/certificates");
    issued ??= {
      ...issueClientCertificate(authority, { runtime, user: frontProxyUser }),
      ca: authority.cert,
    };
    return issued;
  };
}

/** Formats the administrator's kubeconfig, and writes it where `kubeconfigPath` says. */
export function createKubeconfig(
  listener: Listener,
  identity: Identity,
  options: ApiServerOptions,
): string {
  const { rootCa } = rootCaOf(identity, options);
  const text = formatKubeconfig({
    url: listener.url,
    token: identity.token,
    ...(rootCa === undefined ? {} : { ca: rootCa }),
  });
  const { kubeconfigPath } = options;
  if (kubeconfigPath === undefined) return text;
  try {
    writeKubeconfig(kubeconfigPath, text);
  } catch (error) {
    throw new ServerError(
      "ERR_SERVER_KUBECONFIG",
      `write kubeconfig ${kubeconfigPath}: ${reasonOf(error)}; name a file that this user can write`,
      { cause: error },
    );
  }
  return text;
}

async function servingTls(
  identity: Identity,
  options: ApiServerOptions,
  runtime: Runtime,
): Promise<ServingTls> {
  const authorities = clientAuthorities(identity, options);
  return {
    ...(options.servingCertificate ??
      (await issueServingPair(identity, options.host ?? "", runtime))),
    ...(authorities.length ? { clientCa: authorities } : {}),
  };
}

async function issueServingPair(
  identity: Identity,
  host: string,
  runtime: Runtime,
): Promise<KeyPair> {
  const { issueServingCertificate } = await import("homeostat/certificates");
  const names = [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ];
  const isAddress = /^[\d.]+$|:/.test(host);
  const addresses = [...new Set(["127.0.0.1", "::1", ...(isAddress ? [host] : [])])];
  return issueServingCertificate(identity.authority, { runtime, names, addresses });
}

/** Controllers that issue client certificates. */
const signers = new Set(["all", "*", "csrsigning", "certificatesigningrequest-signing-controller"]);

/**
 * PEM of the authorities whose client certificates are accepted: the server's own when the server
 * or a controller issues client certificates, and the one of the option `clientCa`.
 */
function clientAuthorities(
  identity: Identity,
  { clientCertificates, clientCa, controllers, protocol }: ApiServerOptions,
): readonly string[] {
  const names = [controllers ?? []].flat().flatMap((each) => each.split(","));
  const issues = clientCertificates || names.some((name) => signers.has(name.trim()));
  return [
    ...(issues && protocol !== "http" ? [identity.authority.cert] : []),
    ...(clientCa === undefined ? [] : [clientCa]),
  ];
}
