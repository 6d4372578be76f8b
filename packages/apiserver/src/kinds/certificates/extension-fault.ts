// Why Go refuses the extensions that a certificate request asks for.
// Upstream: Go's crypto/x509 (x509.go, parseCSRExtensions; parser.go, parseSANExtension).
import { Asn1Error, type Asn1Shape, readShape } from "../../certificates/go-asn1.ts";
import { readElement, readTagged } from "../../certificates/cryptobyte.ts";
import { contentOf, type DerElement, inside, rawOf, readOid } from "../../certificates/read-der.ts";
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { splitUrl } from "../validation/validate-webhook-client.ts";

const extensionRequest = "1.2.840.113549.1.9.14";
const alternativeNames = "2.5.29.17";
const attributeShape: Asn1Shape = {
  is: "struct",
  name: "pkcs10Attribute",
  fields: [
    { is: "oid", name: "ObjectIdentifier" },
    { is: "list", name: "", isSet: true, of: { is: "raw" } },
  ],
};
const extensionsShape: Asn1Shape = {
  is: "list",
  name: "",
  of: {
    is: "struct",
    name: "Extension",
    fields: [
      { is: "oid", name: "ObjectIdentifier" },
      { is: "bool", name: "bool", optional: true },
      { is: "octets", name: "" },
    ],
  },
};

/** The first fault of the attributes of a request. Throws {@link Asn1Error}. */
export function extensionFault(attributes: DerElement | undefined): string | undefined {
  const names = new Set<string>();
  const extensions: DerElement[] = [];
  for (const attribute of inside(attributes)) {
    if (!isWellFormed(attribute)) continue;
    const [name, values] = inside(attribute);
    const [first] = inside(values);
    if (!name || !first || readOid(name) !== extensionRequest) continue;
    readShape(rawOf(first), 0, extensionsShape);
    for (const extension of inside(first)) {
      const oid = oidOf(extension);
      if (names.has(oid))
        return "x509: certificate request contains duplicate requested extensions";
      names.add(oid);
      extensions.push(extension);
    }
  }
  const wanted = extensions.find((extension) => oidOf(extension) === alternativeNames);
  return wanted && namesFault(contentOf(inside(wanted).at(-1)!));
}

/** Attributes that are encoded otherwise are ignored. */
function isWellFormed(attribute: DerElement): boolean {
  try {
    readShape(rawOf(attribute), 0, attributeShape);
    return true;
  } catch (error) {
    if (error instanceof Asn1Error) return false;
    throw error;
  }
}

const oidOf = (extension: DerElement): string => readOid(inside(extension)[0]!);

function namesFault(der: Uint8Array): string | undefined {
  let rest = readTagged(der, 0x30)?.content;
  if (!rest) return "x509: invalid subject alternative names";
  while (rest.length) {
    const name = readElement(rest);
    if (!name) return "x509: invalid subject alternative name";
    const fault = nameFault(name.tag, name.content);
    if (fault !== undefined) return fault;
    rest = name.rest;
  }
  return undefined;
}

/** Names that are ASCII, by tag. */
const textNames: Readonly<Record<number, string>> = {
  0x81: "rfc822Name",
  0x82: "dNSName",
  0x86: "uniformResourceIdentifier",
};

function nameFault(tag: number, content: Uint8Array): string | undefined {
  const text = textNames[tag];
  if (text !== undefined && content.some((byte) => byte >= 0x80))
    return `x509: SAN ${text} is malformed`;
  if (tag === 0x86) return uriFault(Buffer.from(content).toString("latin1"));
  return tag === 0x87 && content.length !== 4 && content.length !== 16
    ? `x509: cannot parse IP address of length ${content.length}`
    : undefined;
}

function uriFault(text: string): string | undefined {
  const quoted = quoteGo(text);
  const parts = splitUrl(text);
  if (typeof parts === "string")
    return `x509: cannot parse URI ${quoted}: parse ${quoted}: ${parts}`;
  return parts.host && !isDomain(parts.host)
    ? `x509: cannot parse URI ${quoted}: invalid domain`
    : undefined;
}

/** Upstream: domainNameValid in Go's crypto/x509. */
const isDomain = (name: string): boolean =>
  /^[!-~]+$/.test(name) && !name.endsWith(".") && name.split(".").every(Boolean);
