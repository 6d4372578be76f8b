// Checks that a PKCS#10 certificate request is signed by its own key. Errors are Go's.
// Upstream: k8s.io/kubernetes/pkg/apis/certificates/helpers.go (ParseCSR), Go's crypto/x509; RFC
// 2986.
import { Asn1Error, type Asn1Shape, readShape } from "../../certificates/go-asn1.ts";
import { inside, rawOf, readDer } from "../../certificates/read-der.ts";
import {
  commonNameOf,
  organizationsOf,
  readSigningRequest,
} from "../../certificates/signing-request.ts";

import { extensionFault } from "./extension-fault.ts";
import { publicKeyFault } from "./public-key-fault.ts";
import { signatureFault } from "./signature-fault.ts";

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
/** Why the PEM text is not a request signed by its own key; undefined when it is. */
export function signingRequestFault(pem: string): string | undefined {
  const block = /-----BEGIN ([^-\n]*)-----\s*([A-Za-z0-9+/=\s]*)-----END \1-----/.exec(pem);
  if (!block || !pem.slice(block.index).startsWith(begin))
    return "PEM block type must be CERTIFICATE REQUEST";
  const der = Buffer.from(block[2]!, "base64");
  const fault = encodingFault(der);
  if (fault !== undefined) return fault;
  const parts = inside(readDer(der)[0]);
  return parts.length >= 3 ? signatureFault(parts[0]!, parts[1]!, parts[2]!) : malformed;
}

/** The error of Go's parser. */
function encodingFault(der: Buffer): string | undefined {
  try {
    if (readShape(der, 0, requestShape) < der.length) return "asn1: syntax error: trailing data";
    const [, subject, key, attributes] = inside(inside(readDer(der)[0])[0]);
    const fault = key && publicKeyFault(key);
    if (fault !== undefined) return fault;
    if (subject) readShape(rawOf(subject), 0, subjectShape);
    return extensionFault(attributes);
  } catch (error) {
    if (error instanceof Asn1Error) return error.message;
    throw error;
  }
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
