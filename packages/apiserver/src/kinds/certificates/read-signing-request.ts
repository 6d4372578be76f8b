// Reads a PKCS#10 certificate request as far as it takes to check its signature. What is malformed inside is refused without
// Go's detail of the encoding.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/helpers.go (ParseCSR), Go's crypto/x509; RFC 2986.
import { createPublicKey, verify } from "node:crypto";

const begin = "-----BEGIN CERTIFICATE REQUEST-----";
const malformed = "asn1: structure error: the certificate request is malformed";
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

/** Why the PEM text is no request that its own key has signed; undefined when it is one. */
export function signingRequestFault(pem: string): string | undefined {
  const block = /-----BEGIN ([^-\n]*)-----\s*([A-Za-z0-9+/=\s]*)-----END \1-----/.exec(pem);
  if (!block || !pem.slice(block.index).startsWith(begin)) return "PEM block type must be CERTIFICATE REQUEST";
  const der = Buffer.from(block[2]!, "base64");
  const request = children(der, 0)?.[0];
  const parts = request && children(der.subarray(0, request.end), request.start);
  if (!parts || parts.length !== 3) return malformed;
  return signatureFault(der, parts as [Element, Element, Element]);
}

interface Element {
  readonly tag: number;
  /** Where the element begins, its content begins, and it ends. */
  readonly from: number;
  readonly start: number;
  readonly end: number;
}

/** The elements from `at` to the end; undefined where the encoding is broken. */
function children(der: Uint8Array, at: number): Element[] | undefined {
  const found: Element[] = [];
  for (let from = at; from < der.length;) {
    const first = der[from + 1];
    if (first === undefined) return undefined;
    const extra = first < 0x80 ? 0 : first & 0x7f;
    let size = extra ? 0 : first;
    for (let i = 0; i < extra; i++) size = size * 256 + (der[from + 2 + i] ?? 0);
    const start = from + 2 + extra;
    if (extra > 4 || start + size > der.length) return undefined;
    found.push({ tag: der[from]!, from, start, end: start + size });
    from = start + size;
  }
  return found;
}

function signatureFault(der: Buffer, [info, algorithm, signature]: readonly [Element, Element, Element]): string | undefined {
  const key = children(der.subarray(0, info.end), info.start)?.[2];
  const oid = children(der.subarray(0, algorithm.end), algorithm.start)?.[0];
  if (!key || !oid || signature.tag !== 3) return malformed;
  const digest = digests[der.subarray(oid.start, oid.end).toString("hex")];
  if (digest === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  try {
    const publicKey = createPublicKey({ key: der.subarray(key.from, key.end), format: "der", type: "spki" });
    // The first byte of a BIT STRING counts unused bits.
    const isValid = verify(digest, der.subarray(info.from, info.end), publicKey, der.subarray(signature.start + 1, signature.end));
    return isValid ? undefined : "x509: signature verification failed";
  } catch {
    return malformed;
  }
}

const organization = "55040a";

/** What a request that can be read gives as organisations of its subject: the groups of the certificate's holder. */
export function requestedOrganizations(pem: string): readonly string[] {
  const block = /-----BEGIN CERTIFICATE REQUEST-----\s*([A-Za-z0-9+/=\s]*)-----END/.exec(pem);
  const der = Buffer.from(block?.[1] ?? "", "base64");
  const inside = ({ start, end }: Element): Element[] => children(der.subarray(0, end), start) ?? [];
  const [request] = children(der, 0) ?? [];
  const [info] = request ? inside(request) : [];
  const subject = info && inside(info)[1];
  const attributes = subject ? inside(subject).flatMap(inside).map(inside) : [];
  return attributes.flatMap(([oid, value]) => (oid && value && der.subarray(oid.start, oid.end).toString("hex") === organization ? [der.subarray(value.start, value.end).toString("utf8")] : []));
}
