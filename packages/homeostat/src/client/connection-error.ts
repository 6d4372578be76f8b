// Converts socket and TLS errors to errors that name the server, the problem and the remedy.
import { connectionLost } from "../api/connection-lost.ts";
import { HomeostatError } from "../util/homeostat-error.ts";

const certificateCodes = /^(?:UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|ERR_TLS_CERT_)/;

/** A proxy could not be reached, or did not connect. */
export class ProxyError extends Error {}

/** The error for a request that never reached `server`. */
export function unreachableError(server: string, origin: string, cause: unknown): HomeostatError {
  const { code, message } = describe(cause);
  return new HomeostatError(
    "ERR_CLIENT_UNREACHABLE",
    `connecting to ${server} (${origin}): ${message}`,
    { hint: cause instanceof ProxyError ? proxyHint : hintFor(code), cause },
  );
}

export interface FailedRequest {
  readonly server: string;
  readonly request: { readonly method: string; readonly path: string };
  readonly cause: unknown;
}

/** The error for a connection that broke during a request. */
export function connectionLostError({ server, request, cause }: FailedRequest): HomeostatError {
  const speaksTls = server.startsWith("http://") && isNoHttp(cause);
  return connectionLost(request, {
    server,
    why: describe(cause).message,
    cause,
    ...(speaksTls
      ? {
          hint: "Does the server speak TLS? Then its address begins with https. If not, read the object before writing again.",
        }
      : {}),
  });
}

const refusalCodes: readonly unknown[] = ["UND_ERR_INVALID_ARG", "UND_ERR_NOT_SUPPORTED"];

/** True if undici refused to send the request. */
export const isRefusedRequest = (cause: Error): boolean =>
  refusalCodes.includes((cause as { readonly code?: unknown }).code);

/** The error for a request that is invalid in HTTP/1.1; nothing was sent. */
export function refusedRequestError(failed: FailedRequest): HomeostatError {
  const { server, request, cause } = failed;
  const message = `${request.method} ${request.path} at ${server}: the request cannot be sent: ${describe(cause).message}`;
  return new HomeostatError("ERR_CLIENT_REQUEST", message, {
    hint: "Encode what is not ASCII in the path, and leave out headers that belong to the connection (Upgrade, Expect, Transfer-Encoding).",
    cause,
  });
}

/**
 * The response was not HTTP, for example a TLS alert, or the server closed the connection at once.
 */
function isNoHttp(cause: unknown): boolean {
  const { code = "", socket } = (cause ?? {}) as {
    readonly code?: unknown;
    readonly socket?: { readonly bytesRead?: number };
  };
  return String(code).startsWith("HPE_") || (code === "UND_ERR_SOCKET" && socket?.bytesRead === 0);
}

/** Several tried addresses cause an AggregateError, whose parts are more specific. */
function describe(cause: unknown): { readonly code: string; readonly message: string } {
  const inner = cause instanceof AggregateError && cause.errors.length ? cause.errors[0] : cause;
  const code = String((inner as { code?: unknown })?.code ?? "");
  const message =
    inner instanceof Error && inner.message ? inner.message.trim() : code || String(inner);
  return { code, message: code && !message.includes(code) ? `${message} (${code})` : message };
}

const proxyHint = "Check the proxy: proxy-url in the kubeconfig, else HTTPS_PROXY and NO_PROXY.";

function hintFor(code: string): string {
  if (code === "ECONNREFUSED")
    return "Nothing listens there: start the cluster, or correct `server` in the kubeconfig.";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return "The host name cannot be resolved: check `server` in the kubeconfig and your network.";
  if (
    code === "UND_ERR_CONNECT_TIMEOUT" ||
    code === "ETIMEDOUT" ||
    code === "EHOSTUNREACH" ||
    code === "ENETUNREACH"
  )
    return "The server cannot be reached: check network, VPN and firewall.";
  if (code === "EPROTO" || code.startsWith("ERR_SSL_"))
    return "Does the server speak TLS? If not, its address begins with http, not https.";
  if (certificateCodes.test(code))
    return "The server's certificate is not trusted: check certificate-authority(-data) and tls-server-name in the kubeconfig.";
  return "Check that the server runs and that `server` in the kubeconfig is right.";
}
