// Rewrites errors of Node's sockets and TLS as Go's net, crypto/tls and crypto/x509 put them. Pure.
// Go: net/net.go (OpError), crypto/tls/common.go (CertificateVerificationError),
// crypto/x509/verify.go.
import { certificateFault, type RefusedCertificate, untrustedCodes } from "./certificate-fault.ts";

/** What was dialled, and the name that the certificate must have. */
export interface Dialled {
  readonly target: { readonly host: string; readonly port: number };
  readonly host: string;
  /** Where the certificate was refused and could be asked for. */
  readonly refused?: Omit<RefusedCertificate, "code" | "host"> | undefined;
}

interface NodeError extends Error {
  readonly code?: string;
  readonly syscall?: string;
  readonly address?: string;
  readonly port?: number;
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
const certificateCodes = new Set([
  ...untrustedCodes,
  "INVALID_PURPOSE",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** True if the server's certificate was refused. */
export const isCertificateError = ({ code = "" }: { readonly code?: string }): boolean =>
  certificateCodes.has(code);

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
  const fault = faultOfCertificate(error, dialled);
  if (fault !== undefined) return `tls: failed to verify certificate: x509: ${fault}`;
  return message;
}

/** `127.0.0.1:443`, `[::1]:443`. */
function addressOf({ address, port }: NodeError, { target }: Dialled): string {
  const host = address ?? target.host;
  return `${host.includes(":") ? `[${host}]` : host}:${port ?? target.port}`;
}

/** Without the certificate, what its fault is called in general. */
function faultOfCertificate(
  { code = "" }: NodeError,
  { host, refused }: Dialled,
): string | undefined {
  if (!certificateCodes.has(code)) return undefined;
  const known = refused && certificateFault({ ...refused, code, host });
  if (known) return known;
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID")
    return "certificate has expired or is not yet valid";
  return code === "ERR_TLS_CERT_ALTNAME_INVALID"
    ? `certificate is not valid for any names, but wanted to match ${host}`
    : "certificate signed by unknown authority";
}
