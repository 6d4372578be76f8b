/**
 * X.509 certificates with EC P-256 keys: authorities, and what they issue.
 * @experimental
 * @module homeostat/certificates
 */
export {
  type Authority,
  createAuthority,
  issueClientCertificate,
  issuerOf,
  issueServingCertificate,
  type KeyPair,
} from "./authority.ts";
export {
  addressBytes,
  assembleCertificate,
  authorityKeyId,
  type CertificateParts,
  type CertificateRequest,
  extension,
  freshSerial,
  generateKeys,
  type Issuer,
  signCertificate,
  type SigningKeys,
  type Subject,
  toPem,
} from "./certificate.ts";
export {
  bits,
  flags,
  integer,
  octets,
  oid,
  printable,
  sequence,
  setOf,
  time,
  tlv,
  utf8,
  yes,
} from "./der.ts";
