// Checks that a PKCS#10 certificate request is one that its own key has signed. What is malformed inside is refused without
// Go's detail of the encoding.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/helpers.go (ParseCSR), Go's crypto/x509; RFC 2986.
import { createPublicKey, verify } from "node:crypto";
import { contentOf, type DerElement, inside, rawOf, readDer } from "../../certificates/read-der.ts";
import { organizationsOf, readSigningRequest } from "../../certificates/signing-request.ts";

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
  const parts = inside(readDer(der)?.[0]);
  return parts.length === 3 ? signatureFault(parts as [DerElement, DerElement, DerElement]) : malformed;
}

function signatureFault([info, algorithm, signature]: readonly [DerElement, DerElement, DerElement]): string | undefined {
  const key = inside(info)[2];
  const oid = inside(algorithm)[0];
  if (!key || !oid || signature.tag !== 3) return malformed;
  const digest = digests[contentOf(oid).toString("hex")];
  if (digest === undefined) return "x509: cannot verify signature: algorithm unimplemented";
  try {
    const publicKey = createPublicKey({ key: rawOf(key), format: "der", type: "spki" });
    // The first byte of a BIT STRING counts unused bits.
    const isValid = verify(digest, rawOf(info), publicKey, contentOf(signature).subarray(1));
    return isValid ? undefined : "x509: signature verification failed";
  } catch {
    return malformed;
  }
}

/** What a request that can be read gives as organisations of its subject: the groups of the certificate's holder. */
export function requestedOrganizations(pem: string): readonly string[] {
  const request = readSigningRequest(pem);
  return request ? organizationsOf(request) : [];
}
