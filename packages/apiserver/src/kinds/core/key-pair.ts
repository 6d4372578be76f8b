// Checks that a PEM certificate and a PEM key match, with the errors of Go's TLS package, which
// warnings of Secrets repeat. Errors inside a certificate or key omit Go's detail of the encoding.
// Upstream: Go's crypto/tls (X509KeyPair).
import { createPrivateKey, X509Certificate } from "node:crypto";

interface PemBlock {
  readonly type: string;
  readonly text: string;
}

/** Go's error for the pair, or undefined when it is valid. */
export function checkKeyPair(certificate: string, key: string): string | undefined {
  const certificates = pemBlocks(certificate);
  const leaf = certificates.find(({ type }) => type === "CERTIFICATE");
  if (!leaf) return `tls: ${noCertificate(certificates.map(({ type }) => type))}`;
  const keys = pemBlocks(key);
  const secret = keys.find(({ type }) => isKey(type));
  if (!secret) return `tls: ${noKey(keys.map(({ type }) => type))}`;
  return compare(leaf.text, secret.text);
}

const isKey = (type: string): boolean => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY");

function pemBlocks(text: string): PemBlock[] {
  return [...text.matchAll(/-----BEGIN ([^-\n]+)-----\r?\n[\s\S]*?-----END \1-----/g)].map(
    (match) => ({ type: match[1]!, text: match[0] }),
  );
}

function noCertificate(types: readonly string[]): string {
  if (!types.length) return "failed to find any PEM data in certificate input";
  if (types.length === 1 && types[0]!.endsWith("PRIVATE KEY"))
    return "failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched";
  return `failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function noKey(types: readonly string[]): string {
  if (!types.length) return "failed to find any PEM data in key input";
  if (types.length === 1 && types[0] === "CERTIFICATE")
    return "found a certificate rather than a key in the PEM for the private key";
  return `failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`;
}

function compare(certificate: string, key: string): string | undefined {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(certificate);
  } catch {
    return "x509: malformed certificate";
  }
  try {
    const secret = createPrivateKey(key);
    if (leaf.publicKey.asymmetricKeyType !== secret.asymmetricKeyType)
      return "tls: private key type does not match public key type";
    return leaf.checkPrivateKey(secret) ? undefined : "tls: private key does not match public key";
  } catch {
    return "tls: failed to parse private key";
  }
}
