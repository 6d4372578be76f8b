// What is to be known of certificates: when they are valid, who signed them, for which names.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import type { KeyPair } from "../../certificates/authority.ts";

/** When a certificate is valid, in milliseconds since 1970. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** When a certificate is valid; undefined for what is none. */
export function validityOf(cert: string): Validity | undefined {
  const parsed = parse(cert);
  if (!parsed) return undefined;
  return { notBefore: parsed.validFromDate.getTime(), notAfter: parsed.validToDate.getTime() };
}

/** True when the key is that of the certificate. */
export function isKeyPair({ cert, key }: KeyPair): boolean {
  try {
    return parse(cert)?.checkPrivateKey(createPrivateKey(key)) === true;
  } catch {
    return false;
  }
}

/** True for an authority that `issueServingCertificate` can sign with. */
export function isAuthority(pair: KeyPair): boolean {
  const parsed = parse(pair.cert);
  const { namedCurve } = parsed?.publicKey.asymmetricKeyDetails ?? {};
  // Its only name is the common name: a certificate names its issuer by that.
  const isNamed = /^CN=[^\n]+$/.test(parsed?.subject ?? "");
  return parsed?.ca === true && namedCurve === "prime256v1" && isNamed && isKeyPair(pair);
}

/** True when the authority has signed the certificate. */
export function isIssuedBy(cert: string, authority: string): boolean {
  const [leaf, issuer] = [parse(cert), parse(authority)];
  return !!leaf && !!issuer && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
}

/** True when the certificate serves all these names. */
export function servesNames(cert: string, names: readonly string[]): boolean {
  const parsed = parse(cert);
  return names.every(
    (name) => (isIP(name) ? parsed?.checkIP(name) : parsed?.checkHost(name)) !== undefined,
  );
}

/** The serial number, for logs. */
export const serialOf = (cert: string): string => parse(cert)?.serialNumber ?? "";

const certificatePattern = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g;

/** The certificates in a PEM text, one by one; what is none is left out. */
export const splitBundle = (pem: string): readonly string[] =>
  [...pem.matchAll(certificatePattern)]
    .map(([text]) => (text.endsWith("\n") ? text : `${text}\n`))
    .filter((text) => parse(text) !== undefined);

/** True when `bundle` has all certificates of `wanted`. */
export function holdsBundle(bundle: string, wanted: string): boolean {
  const held = new Set(splitBundle(bundle));
  return splitBundle(wanted).every((one) => held.has(one));
}

function parse(cert: string): X509Certificate | undefined {
  try {
    return new X509Certificate(cert);
  } catch {
    return undefined;
  }
}
