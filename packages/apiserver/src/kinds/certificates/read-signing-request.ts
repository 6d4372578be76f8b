// Checks that a PKCS#10 certificate request is signed by its own key. Errors are Go's, except for
// the contents of RSA keys and of extensions.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/helpers.go (ParseCSR), Go's crypto/x509; RFC
// 2986.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { Asn1Error, type Asn1Shape, readShape } from "../../certificates/go-asn1.ts";
import { contentOf, type DerElement, inside, rawOf, readDer } from "../../certificates/read-der.ts";
import {
  commonNameOf,
  organizationsOf,
  readSigningRequest,
} from "../../certificates/signing-request.ts";

const begin = "-----BEGIN CERTIFICATE REQUEST-----";
const malformed = "x509: the certificate request is malformed";
const algorithmShape: Asn1Shape = {
  is: "struct",
  name: "AlgorithmIdentifier",
  fields: [
    { is: "oid", name: "ObjectIdentifier" },
    { is: "raw", optional: true },
  ],
};
const bitsShape: Asn1Shape = { is: "bits", name: "BitString" };
const attributeShape: Asn1Shape = {
  is: "struct",
  name: "AttributeTypeAndValue",
  fields: [{ is: "oid", name: "ObjectIdentifier" }, { is: "any" }],
};
const subjectShape: Asn1Shape = {
  is: "list",
  name: "RDNSequence",
  of: { is: "list", name: "RelativeDistinguishedNameSET", isSet: true, of: attributeShape },
};
const keyShape: Asn1Shape = {
  is: "struct",
  name: "publicKeyInfo",
  fields: [algorithmShape, bitsShape],
};
const infoShape: Asn1Shape = {
  is: "struct",
  name: "tbsCertificateRequest",
  fields: [
    { is: "int", name: "int" },
    { is: "raw" },
    keyShape,
    { is: "list", name: "", tag: 0, of: { is: "raw" } },
  ],
};
const requestShape: Asn1Shape = {
  is: "struct",
  name: "certificateRequest",
  fields: [infoShape, algorithmShape, bitsShape],
};
const failures: Readonly<Record<string, string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};
/** Digests by the object identifier of the signature algorithm, in hex. */
const digests: Readonly<Record<string, string | null>> = {
  "2a864886f70d01010b": "sha256",
  "2a864886f70d01010c": "sha384",
  "2a864886f70d01010d": "sha512",
  "2a8648ce3d040302": "sha256",
  "2a8648ce3d040303": "sha384",
  "2a8648ce3d040304": "sha512",
  "2b6570": null,
};

/** Why the PEM text is not a request signed by its own key; undefined when it is. */
export function signingRequestFault(pem: string): string | undefined {
  const block = /-----BEGIN ([^-\n]*)-----\s*([A-Za-z0-9+/=\s]*)-----END \1-----/.exec(pem);
  if (!block || !pem.slice(block.index).startsWith(begin))
    return "PEM block type must be CERTIFICATE REQUEST";
  const der = Buffer.from(block[2]!, "base64");
  const fault = encodingFault(der);
  if (fault !== undefined) return fault;
  const parts = inside(readDer(der)?.[0]);
  return parts.length >= 3
    ? signatureFault(parts as [DerElement, DerElement, DerElement])
    : malformed;
}

/** The error of Go's parser. */
function encodingFault(der: Buffer): string | undefined {
  try {
    if (readShape(der, 0, requestShape) < der.length) return "asn1: syntax error: trailing data";
    const [, subject, key] = inside(inside(readDer(der)?.[0])[0]);
    const fault = key && keyFault(key);
    if (fault !== undefined) return fault;
    if (subject) readShape(rawOf(subject), 0, subjectShape);
    return undefined;
  } catch (error) {
    if (error instanceof Asn1Error) return error.message;
    throw error;
  }
}

const unverifiable = "x509: cannot verify signature: algorithm unimplemented";
const keyTypes = { rsa: "2a864886f70d010101", ec: "2a8648ce3d0201", ed25519: "2b6570" } as const;
/** Curves by object identifier, with the bytes of a coordinate. */
const curves: Readonly<Record<string, readonly [name: string, bytes: number]>> = {
  "2b81040021": ["P224", 28],
  "2a8648ce3d030107": ["P256", 32],
  "2b81040022": ["P384", 48],
  "2b81040023": ["P521", 66],
};

/** Why a public key is invalid; keys of other types pass here, and verify nothing. */
function keyFault(key: DerElement): string | undefined {
  const [algorithm, bits] = inside(key);
  const [type, parameters] = inside(algorithm);
  if (!type || !bits) return undefined;
  const found = contentOf(type).toString("hex");
  const data = contentOf(bits).subarray(1);
  if (found === keyTypes.rsa)
    return parameters && rawOf(parameters).toString("hex") === "0500"
      ? undefined
      : "x509: RSA key missing NULL parameters";
  if (found === keyTypes.ec) return pointFault(key, parameters, data);
  if (found !== keyTypes.ed25519) return undefined;
  if (parameters) return "x509: Ed25519 key encoded with illegal parameters";
  return data.length === 32 ? undefined : "x509: wrong Ed25519 public key size";
}

function pointFault(
  key: DerElement,
  parameters: DerElement | undefined,
  data: Buffer,
): string | undefined {
  if (parameters?.tag !== 6) return "x509: invalid ECDSA parameters";
  const curve = curves[contentOf(parameters).toString("hex")];
  if (!curve) return "x509: unsupported elliptic curve";
  const [name, bytes] = curve;
  if (data[0] !== 4) return "ecdsa: invalid uncompressed public key";
  if (data.length !== 1 + 2 * bytes) return `invalid ${name} point encoding`;
  return readKey(key) ? undefined : `${name} point not on curve`;
}

function readKey(key: DerElement): KeyObject | undefined {
  try {
    return createPublicKey({ key: rawOf(key), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}

function signatureFault([info, algorithm, signature]: readonly [
  DerElement,
  DerElement,
  DerElement,
]): string | undefined {
  const key = inside(info)[2];
  const oid = inside(algorithm)[0];
  if (!key || !oid || signature.tag !== 3) return malformed;
  const digest = digests[contentOf(oid).toString("hex")];
  const publicKey = readKey(key);
  if (digest === undefined || !publicKey) return unverifiable;
  // The first byte of a BIT STRING counts unused bits.
  const isValid = verify(digest, rawOf(info), publicKey, contentOf(signature).subarray(1));
  return isValid ? undefined : (failures[publicKey.asymmetricKeyType ?? ""] ?? unverifiable);
}

/** The organizations of the request's subject: the groups of the certificate's holder. */
export function requestedOrganizations(pem: string): readonly string[] {
  const request = readSigningRequest(pem);
  return request ? organizationsOf(request) : [];
}

/** The common name of the request's subject: the user name of the certificate's holder. */
export function requestedCommonName(pem: string): string {
  const request = readSigningRequest(pem);
  return request ? commonNameOf(request) : "";
}
