// Signs certificate requests: the certificate has the subject, names and key of the request, and
// the usages and validity of the signer's policy. Other requested extensions are dropped.
// Upstream: k8s.io/kubernetes/pkg/controller/certificates/authority/{authority,policies}.go, Go's
// crypto/x509 (CreateCertificate) and crypto/x509/pkix (ToRDNSequence).
import { X509Certificate } from "node:crypto";
import type { Runtime } from "homeostat/runtime";
import {
  assembleCertificate,
  type Authority,
  authorityKeyId,
  extension,
  flags,
  freshSerial,
  issuerOf,
  oid,
  printable,
  sequence,
  setOf,
  tlv,
  toPem,
  utf8,
  yes,
} from "homeostat/certificates";
import type { SigningRequest, SubjectAttribute } from "./signing-request.ts";

/** Bits of X.509's key usage by the API's names. */
const keyUsages: Readonly<Record<string, number>> = {
  signing: 0,
  "digital signature": 0,
  "content commitment": 1,
  "key encipherment": 2,
  "data encipherment": 3,
  "key agreement": 4,
  "cert sign": 5,
  "crl sign": 6,
  "encipher only": 7,
  "decipher only": 8,
};

/** Extended usages, in the order in which a certificate lists them. */
const extendedUsages: readonly (readonly [oid: string, ...words: string[]])[] = [
  ["2.5.29.37.0", "any"],
  ["1.3.6.1.5.5.7.3.1", "server auth"],
  ["1.3.6.1.5.5.7.3.2", "client auth"],
  ["1.3.6.1.5.5.7.3.3", "code signing"],
  ["1.3.6.1.5.5.7.3.4", "email protection", "s/mime"],
  ["1.3.6.1.5.5.7.3.5", "ipsec end system"],
  ["1.3.6.1.5.5.7.3.6", "ipsec tunnel"],
  ["1.3.6.1.5.5.7.3.7", "ipsec user"],
  ["1.3.6.1.5.5.7.3.8", "timestamping"],
  ["1.3.6.1.5.5.7.3.9", "ocsp signing"],
  ["1.3.6.1.4.1.311.10.3.3", "microsoft sgc"],
  ["2.16.840.1.113730.4.1", "netscape sgc"],
];

/**
 * Subject attributes to copy, in order; those with the same OID form one set. Others are dropped.
 */
const subjectOrder = [
  "2.5.4.6",
  "2.5.4.10",
  "2.5.4.11",
  "2.5.4.7",
  "2.5.4.8",
  "2.5.4.9",
  "2.5.4.17",
];
/** Of these attributes only the last is copied. */
const singleAttributes = ["2.5.4.3", "2.5.4.5"];

const backdateMs = 5 * 60_000;
const shortMs = 8 * 3_600_000;

/** The usages and validity of a certificate. */
export interface SigningPolicy {
  /** The API's names, e.g. `client auth`. */
  readonly usages: readonly string[];
  readonly validMs: number;
}

/** Signs and returns PEM. Throws when the authority has expired or a usage is unknown. */
export function signRequest(
  request: SigningRequest,
  { usages, validMs }: SigningPolicy,
  authority: Authority,
  runtime: Runtime,
): string {
  const now = runtime.clock.now();
  const authorityEnds = new X509Certificate(authority.cert).validToDate.getTime();
  if (now >= authorityEnds)
    throw new Error(
      `sign a certificate request: the signer has expired: NotAfter=${new Date(authorityEnds).toISOString()}`,
    );
  const issuer = issuerOf(authority);
  const subject = subjectName(request.subject);
  const der = assembleCertificate(
    {
      serial: freshSerial(runtime),
      subject,
      notBefore: now - backdateMs,
      // Backdating does not shorten short-lived certificates.
      notAfter: Math.min(now + (validMs < shortMs ? validMs : validMs - backdateMs), authorityEnds),
      publicKey: request.publicKey,
      extensions: [
        ...usageExtensions(usages),
        extension("2.5.29.19", sequence(), yes()),
        authorityKeyId(issuer.publicKey),
        ...alternativeNames(request),
      ],
    },
    issuer,
  );
  return toPem("CERTIFICATE", der);
}

function usageExtensions(usages: readonly string[]): readonly Uint8Array[] {
  const bits = usages.flatMap((usage) => keyUsages[usage] ?? []);
  const extended = extendedUsages.filter(([, ...words]) =>
    words.some((word) => usages.includes(word)),
  );
  const unknown = usages.filter(
    (usage) =>
      keyUsages[usage] === undefined &&
      !extendedUsages.some(([, ...words]) => words.includes(usage)),
  );
  if (unknown.length)
    throw new Error(
      `sign a certificate request: unrecognized usage values: [${unknown.map((usage) => JSON.stringify(usage)).join(" ")}]`,
    );
  return [
    ...(bits.length ? [extension("2.5.29.15", flags(...bits), yes())] : []),
    ...(extended.length
      ? [extension("2.5.29.37", sequence(...extended.map(([id]) => oid(id))))]
      : []),
  ];
}

function alternativeNames({
  dnsNames,
  emailAddresses,
  addresses,
  uris,
  subject,
}: SigningRequest): readonly Uint8Array[] {
  const text = (tag: number, names: readonly string[]): readonly Uint8Array[] =>
    names.map((name) => tlv(tag, Buffer.from(name, "latin1")));
  const names = [
    ...text(0x82, dnsNames),
    ...text(0x81, emailAddresses),
    ...addresses.map((address) => tlv(0x87, address)),
    ...text(0x86, uris),
  ];
  // Without a subject these names identify the holder, so the extension is critical.
  return names.length
    ? [extension("2.5.29.17", sequence(...names), ...(subject.length ? [] : [yes()]))]
    : [];
}

function subjectName(subject: readonly SubjectAttribute[]): Uint8Array {
  const valuesOf = (id: string): readonly string[] =>
    subject.filter((each) => each.oid === id).map(({ value }) => value);
  const sets = [
    ...subjectOrder.map((id) => [id, valuesOf(id)] as const),
    ...singleAttributes.map((id) => [id, valuesOf(id).slice(-1)] as const),
  ];
  return sequence(
    ...sets
      .filter(([, values]) => values.length)
      .map(([id, values]) =>
        setOf(...values.map((value) => sequence(oid(id), directoryText(value)))),
      ),
  );
}

const directoryText = (text: string): Uint8Array =>
  /^[A-Za-z0-9 '()+,./:=?*&-]*$/.test(text) ? printable(text) : utf8(text);
