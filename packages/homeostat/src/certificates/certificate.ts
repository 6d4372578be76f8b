// X.509 certificates of authorities, servers and clients, with EC P-256 keys only. Reference: RFC
// 5280.
import { createHash, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { isIPv4, isIPv6 } from "node:net";
import type { Runtime } from "../runtime/index.ts";
import { bits, flags, integer, octets, oid, sequence, setOf, time, tlv, utf8, yes } from "./der.ts";

/** The subject of a certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

/** The content of a certificate. Times are milliseconds since 1970. */
export interface CertificateRequest {
  readonly serial: Uint8Array;
  readonly subject: Subject;
  readonly notBefore: number;
  readonly notAfter: number;
  readonly usage: "authority" | "server" | "client";
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

export interface SigningKeys {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Who signs; a self-signed authority is its own issuer. */
export interface Issuer extends SigningKeys {
  readonly subject: Subject;
}

const signedBy = sequence(oid("1.2.840.10045.4.3.2"));
const purposes = { server: "1.3.6.1.5.5.7.3.1", client: "1.3.6.1.5.5.7.3.2" } as const;

/** A new key pair on the curve P-256. */
export function generateKeys(): SigningKeys {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" });
}

/** The parts of a certificate to sign, as DER. */
export interface CertificateParts {
  readonly serial: Uint8Array;
  readonly subject: Uint8Array;
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array;
  readonly extensions: readonly Uint8Array[];
}

/** Signs a certificate for `publicKey`. Returns DER. */
export function signCertificate(
  request: CertificateRequest,
  publicKey: KeyObject,
  issuer: Issuer,
): Uint8Array {
  return assembleCertificate(
    {
      ...request,
      subject: name(request.subject),
      publicKey: spki(publicKey),
      extensions: extensions(request, publicKey, issuer.publicKey),
    },
    issuer,
  );
}

/** Assembles and signs a certificate. Returns DER. */
export function assembleCertificate(parts: CertificateParts, issuer: Issuer): Uint8Array {
  const body = sequence(
    tlv(0xa0, integer(Uint8Array.of(2))),
    integer(parts.serial),
    signedBy,
    name(issuer.subject),
    sequence(time(parts.notBefore), time(parts.notAfter)),
    parts.subject,
    parts.publicKey,
    tlv(0xa3, sequence(...parts.extensions)),
  );
  return sequence(body, signedBy, bits(sign("sha256", body, issuer.privateKey)));
}

/** A random serial number, always positive. */
export function freshSerial({ entropy }: Runtime): Uint8Array {
  const serial = entropy.bytes(16);
  serial[0]! &= 0x7f;
  serial[15]! |= 1;
  return serial;
}

/** `-----BEGIN CERTIFICATE-----` and so on, lines of 64 characters. */
export function toPem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

const spki = (key: KeyObject): Uint8Array => key.export({ type: "spki", format: "der" });

function name(subject: Subject): Uint8Array {
  const organizations = (subject.organizations ?? []).map((organization) =>
    setOf(sequence(oid("2.5.4.10"), utf8(organization))),
  );
  return sequence(...organizations, setOf(sequence(oid("2.5.4.3"), utf8(subject.commonName))));
}

function extensions(
  request: CertificateRequest,
  publicKey: KeyObject,
  issuerKey: KeyObject,
): readonly Uint8Array[] {
  const authority = request.usage === "authority";
  const out = [
    extension("2.5.29.19", authority ? sequence(yes()) : sequence(), yes()),
    extension("2.5.29.15", authority ? flags(0, 5, 6) : flags(0), yes()),
    extension("2.5.29.14", octets(keyId(publicKey))),
    authorityKeyId(issuerKey),
  ];
  if (request.usage !== "authority")
    out.push(extension("2.5.29.37", sequence(oid(purposes[request.usage]))));
  const alternatives = [
    ...(request.dnsNames ?? []).map((dns) => tlv(0x82, Buffer.from(dns))),
    ...(request.addresses ?? []).map((address) => tlv(0x87, addressBytes(address))),
  ];
  if (alternatives.length) out.push(extension("2.5.29.17", sequence(...alternatives)));
  return out;
}

/** The authority key identifier extension. */
export const authorityKeyId = (issuerKey: KeyObject): Uint8Array =>
  extension("2.5.29.35", sequence(tlv(0x80, keyId(issuerKey))));

/** One extension; `yes()` makes it critical. */
export const extension = (id: string, value: Uint8Array, critical?: Uint8Array): Uint8Array =>
  sequence(oid(id), ...(critical ? [critical] : []), octets(value));

/**
 * SHA-1 of the bits of the public key (RFC 5280 section 4.2.1.2): the uncompressed point at the end
 * of its DER.
 */
const keyId = (key: KeyObject): Uint8Array =>
  createHash("sha1").update(spki(key).subarray(-65)).digest();

/** `127.0.0.1` as 4 bytes, `::1` as 16. */
export function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Uint8Array.from(address.split(".").map(Number));
  if (!isIPv6(address))
    throw new Error(
      `certificate for address ${JSON.stringify(address)}: expected an IPv4 or IPv6 address`,
    );
  const [head = "", tail] = address.split("::");
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  return Uint8Array.from([
    ...before,
    ...new Array<number>(16 - before.length - after.length).fill(0),
    ...after,
  ]);
}

const groups = (text: string): number[] =>
  text === ""
    ? []
    : text
        .split(":")
        .flatMap((group) =>
          group.includes(".")
            ? group.split(".").map(Number)
            : [parseInt(group, 16) >> 8, parseInt(group, 16) & 0xff],
        );
