// Rewrites errors of Node's sockets and TLS as Go's net, crypto/tls and crypto/x509 put them. Pure.
// Go: net/net.go (OpError), crypto/tls/common.go (CertificateVerificationError),
// crypto/x509/verify.go.
import type { PeerCertificate } from "node:tls";

/** What was dialled, and the name that the certificate must have. */
export interface Dialled {
  readonly target: { readonly host: string; readonly port: number };
  readonly host: string;
}

interface NodeError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
  readonly cert?: PeerCertificate;
  readonly errors?: readonly NodeError[];
}

const connectFaults: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connect: connection refused",
  EHOSTUNREACH: "connect: no route to host",
  ENETUNREACH: "connect: network is unreachable",
  ETIMEDOUT: "connect: connection timed out",
  EACCES: "connect: permission denied",
  EADDRNOTAVAIL: "connect: cannot assign requested address",
};
const untrusted = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
]);

/** The text of Go's error, without the request's URL. */
export function goNetError(error: NodeError, dialled: Dialled): string {
  const { code = "", syscall, message } = error.errors?.[0] ?? error;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `dial tcp: lookup ${dialled.target.host}: no such host`;
  if (connectFaults[code] && syscall !== "read" && syscall !== "write")
    return `dial tcp ${addressOf(error.errors?.[0] ?? error, dialled)}: ${connectFaults[code]}`;
  if (message === "socket hang up" || code === "ECONNRESET" || code === "EPIPE") return "EOF";
  if (message.includes("wrong version number") || message.includes("http request"))
    return "http: server gave HTTP response to HTTPS client";
  const fault = certificateFault(error, dialled);
  if (fault !== undefined) return `tls: failed to verify certificate: x509: ${fault}`;
  return message;
}

/** `127.0.0.1:443`, `[::1]:443`. */
function addressOf({ address, port }: NodeError, { target }: Dialled): string {
  const host = address ?? target.host;
  return `${host.includes(":") ? `[${host}]` : host}:${port ?? target.port}`;
}

function certificateFault(error: NodeError, { host }: Dialled): string | undefined {
  const { code = "", cert } = error;
  if (untrusted.has(code)) return "certificate signed by unknown authority";
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "certificate has expired or is not yet valid";
  return code === "ERR_TLS_CERT_ALTNAME_INVALID"
    ? nameFault(cert?.subjectaltname ?? "", host)
    : undefined;
}

function nameFault(altNames: string, host: string): string {
  const names = altNames.split(", ").filter(Boolean);
  const of = (prefix: string): string[] =>
    names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  const isIp = /^[\d.]+$/.test(host) || host.includes(":");
  const valid = of(isIp ? "IP Address:" : "DNS:");
  if (valid.length) return `certificate is valid for ${valid.join(", ")}, not ${host}`;
  if (isIp) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return names.length
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : "certificate relies on legacy Common Name field, use SANs instead";
}
