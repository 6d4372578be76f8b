// Why Go's crypto/x509 refuses a certificate, in its words and in the order of its checks. Pure.
// Go: crypto/x509/{verify,x509}.go.
import { X509Certificate } from "node:crypto";
import { quoteGo } from "../apimachinery/errors/field-error.ts";

/** A certificate that Node refused with `code`. */
export interface RefusedCertificate {
  readonly code: string;
  readonly certificate: X509Certificate;
  /** The name or address that it must be for. */
  readonly host: string;
  /** PEM of the authorities; undefined for those of the system. */
  readonly authorities: string | undefined;
  readonly nowMs: number;
}

/** The text after `x509: `; undefined for a fault that Go does not know. */
export function certificateFault(refused: RefusedCertificate): string | undefined {
  return timeFault(refused) ?? nameFault(refused) ?? trustFault(refused);
}

const seconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

function timeFault({
  certificate,
  nowMs,
}: Pick<RefusedCertificate, "certificate" | "nowMs">): string | undefined {
  const from = Date.parse(certificate.validFrom);
  const to = Date.parse(certificate.validTo);
  const isEarly = nowMs < from;
  if (!isEarly && nowMs <= to) return undefined;
  const when = isEarly ? `before ${seconds(from)}` : `after ${seconds(to)}`;
  return `certificate has expired or is not yet valid: current time ${seconds(nowMs)} is ${when}`;
}

const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(":");

function nameFault({ certificate, host }: RefusedCertificate): string | undefined {
  const isIp = isAddress(host);
  const matches = isIp
    ? certificate.checkIP(host)
    : certificate.checkHost(host, { subject: "never" });
  if (matches !== undefined) return undefined;
  const names = (certificate.subjectAltName ?? "").split(", ").filter(Boolean);
  const prefix = isIp ? "IP Address:" : "DNS:";
  const valid = names
    .filter((name) => name.startsWith(prefix))
    .map((name) => shownName(name.slice(prefix.length)));
  if (valid.length) return `certificate is valid for ${valid.join(", ")}, not ${host}`;
  if (isIp) return `cannot validate certificate for ${host} because it doesn't contain any IP SANs`;
  return !names.length && subjectOf(certificate).get("CN") === host
    ? "certificate relies on legacy Common Name field, use SANs instead"
    : `certificate is not valid for any names, but wanted to match ${host}`;
}

/** Addresses of version 6 in their short form. */
const shownName = (name: string): string =>
  name.includes(":") ? new URL(`http://[${name}]`).hostname.slice(1, -1) : name;

/** Node's codes of a certificate whose chain leads to no trusted authority. */
export const untrustedCodes: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_SIGNATURE_FAILURE",
  "INVALID_CA",
]);

function trustFault({
  code,
  certificate,
  authorities,
  nowMs,
}: RefusedCertificate): string | undefined {
  if (code === "INVALID_PURPOSE") return "certificate specifies an incompatible key usage";
  if (!untrustedCodes.has(code)) return undefined;
  const text = "certificate signed by unknown authority";
  const candidate = parseAuthorities(authorities ?? "").find(
    ({ subject }) => subject === certificate.issuer,
  );
  if (!candidate) return text;
  const why = authorityFault(certificate, candidate, nowMs);
  return why
    ? `${text} (possibly because of ${quoteGo(why)} while trying to verify candidate authority certificate ${quoteGo(nameOf(candidate))})`
    : text;
}

/** Why Go takes an authority of the issuer's name for another one. */
function authorityFault(
  certificate: X509Certificate,
  authority: X509Certificate,
  nowMs: number,
): string | undefined {
  const unsigned = signatureFault(certificate, authority);
  if (unsigned) return unsigned;
  const untimely = timeFault({ certificate: authority, nowMs });
  return untimely && `x509: ${untimely}`;
}

/** Why `certificate` is not signed by an authority of its issuer's name. */
function signatureFault(
  certificate: X509Certificate,
  authority: X509Certificate,
): string | undefined {
  if (!authority.ca)
    return "x509: invalid signature: parent certificate cannot sign this kind of certificate";
  if (certificate.verify(authority.publicKey)) return undefined;
  const type = authority.publicKey.asymmetricKeyType ?? "";
  return signatureFaults[type] ?? "x509: cannot verify signature: algorithm unimplemented";
}

/**
 * True for the certificate of a server that an authority of the same name has signed. OpenSSL takes
 * it for self-signed where it has no key identifier of the authority, and Go writes none into it
 * (crypto/x509.CreateCertificate); webhooks of knative.dev/pkg have such certificates.
 */
export function isSignedByNamesake(refused: Omit<RefusedCertificate, "host">): boolean {
  const { code, certificate, authorities = "", nowMs } = refused;
  return (
    code === "DEPTH_ZERO_SELF_SIGNED_CERT" &&
    parseAuthorities(authorities).some(
      (authority) =>
        certificate.checkIssued(authority) &&
        authorityFault(certificate, authority, nowMs) === undefined &&
        !authority.raw.includes(nameConstraints) &&
        (authority.keyUsage?.includes(serverAuthentication) ?? true),
    )
  );
}

/**
 * The object identifier 2.5.29.30: an authority for some names only, which nothing checks here and
 * both OpenSSL and Go do.
 */
const nameConstraints = Buffer.from("0603551d1e", "hex");

const serverAuthentication = "1.3.6.1.5.5.7.3.1";

const signatureFaults: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};

const nameOf = (certificate: X509Certificate): string => {
  const subject = subjectOf(certificate);
  const name = subject.get("CN") ?? subject.get("O");
  return name ?? `serial:${BigInt(`0x${certificate.serialNumber}`)}`;
};

const subjectOf = ({ subject }: X509Certificate): ReadonlyMap<string, string> =>
  new Map(
    (subject ?? "")
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a bundle that can be read. */
function parseAuthorities(pem: string): readonly X509Certificate[] {
  return (pem.match(pemCertificate) ?? []).flatMap((text) => {
    try {
      return [new X509Certificate(text)];
    } catch {
      return [];
    }
  });
}

/**
 * Why a bundle holds no authority; undefined if it does. Upstream:
 * k8s.io/client-go/transport/transport.go (rootCertPool).
 */
export function authoritiesFault(pem: string): string | undefined {
  if (parseAuthorities(pem).length) return undefined;
  const why = pem.match(pemCertificate)
    ? "failed to parse certificate: x509: malformed certificate"
    : "unable to parse bytes as PEM block";
  return `unable to load root certificates: ${why}`;
}
