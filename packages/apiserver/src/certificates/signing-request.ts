// Reads PKCS#10 certificate requests: subject, names, key. Does not verify their signatures.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/helpers.go (ParseCSR), Go's crypto/x509; RFC
// 2986, RFC 5280.
import { contentOf, type DerElement, inside, rawOf, readDer, readOid } from "./read-der.ts";

/** A decoded request. */
export interface SigningRequest extends AlternativeNames {
  readonly subject: readonly SubjectAttribute[];
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Uint8Array;
}

/** The names of a subject beside its distinguished name: X.509's subjectAltName. */
export interface AlternativeNames {
  readonly dnsNames: readonly string[];
  readonly emailAddresses: readonly string[];
  /** Four or sixteen bytes each. */
  readonly addresses: readonly Uint8Array[];
  readonly uris: readonly string[];
}

/** One attribute of a subject, e.g. `2.5.4.10` with `system:nodes`. */
export interface SubjectAttribute {
  readonly oid: string;
  readonly value: string;
}

const oids = {
  commonName: "2.5.4.3",
  organization: "2.5.4.10",
  extensionRequest: "1.2.840.113549.1.9.14",
  alternativeNames: "2.5.29.17",
} as const;

/** Reads a request in PEM; undefined when there is none. */
export function readSigningRequest(pem: string): SigningRequest | undefined {
  const block =
    /-----BEGIN CERTIFICATE REQUEST-----\s*([A-Za-z0-9+/=\s]*)-----END CERTIFICATE REQUEST-----/.exec(
      pem,
    );
  const [request] = readDer(Buffer.from(block?.[1] ?? "", "base64"));
  const [, subject, publicKey, attributes] = inside(inside(request)[0]);
  if (!subject || !publicKey) return undefined;
  const names = inside(alternativeNames(attributes));
  const texts = (tag: number): readonly string[] =>
    names.filter((name) => name.tag === tag).map((name) => contentOf(name).toString("latin1"));
  return {
    subject: inside(subject).flatMap(inside).flatMap(readAttribute),
    dnsNames: texts(0x82),
    emailAddresses: texts(0x81),
    addresses: names.filter(({ tag }) => tag === 0x87).map(contentOf),
    uris: texts(0x86),
    publicKey: rawOf(publicKey),
  };
}

/** The user name and groups of a certificate with this subject. */
export const commonNameOf = ({ subject }: SigningRequest): string =>
  subject.findLast(({ oid }) => oid === oids.commonName)?.value ?? "";
export const organizationsOf = ({ subject }: SigningRequest): readonly string[] =>
  subject.filter(({ oid }) => oid === oids.organization).map(({ value }) => value);

function readAttribute(attribute: DerElement): readonly SubjectAttribute[] {
  const [oid, value] = inside(attribute);
  return oid && value ? [{ oid: readOid(oid), value: contentOf(value).toString("utf8") }] : [];
}

/** The SEQUENCE of alternative names in the requested extensions, if any. */
function alternativeNames(attributes: DerElement | undefined): DerElement | undefined {
  const wanted = inside(attributes).find((each) => isNamed(each, oids.extensionRequest));
  const extensions = inside(inside(inside(wanted)[1])[0]);
  // The value comes last, after an optional flag for critical.
  const value = inside(extensions.find((each) => isNamed(each, oids.alternativeNames))).at(-1);
  return value && readDer(contentOf(value))[0];
}

function isNamed(element: DerElement, oid: string): boolean {
  const [name] = inside(element);
  return name !== undefined && readOid(name) === oid;
}
