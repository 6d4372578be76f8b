// Why Go refuses the public key of a certificate request, and what its signature checks want to
// know of the key. Upstream: Go's crypto/x509 (parser.go, parsePublicKey).
import { createPublicKey, type KeyObject } from "node:crypto";
import { isObjectIdentifier, readInteger, readTagged } from "../../certificates/cryptobyte.ts";
import {
  bitsOf,
  contentOf,
  type DerElement,
  inside,
  rawOf,
  readOid,
} from "../../certificates/read-der.ts";

/** Types of keys that Go knows, by object identifier. */
const keyTypes: Readonly<Record<string, "RSA" | "DSA" | "ECDSA" | "Ed25519">> = {
  "1.2.840.113549.1.1.1": "RSA",
  "1.2.840.10040.4.1": "DSA",
  "1.2.840.10045.2.1": "ECDSA",
  "1.3.101.112": "Ed25519",
};
/** Curves by object identifier. */
const curves: Readonly<Record<string, Curve>> = {
  "1.3.132.0.33": { name: "P224", bytes: 28, prime: 2n ** 224n - 2n ** 96n + 1n },
  "1.2.840.10045.3.1.7": {
    name: "P256",
    bytes: 32,
    prime: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  },
  "1.3.132.0.34": {
    name: "P384",
    bytes: 48,
    prime: 2n ** 384n - 2n ** 128n - 2n ** 96n + 2n ** 32n - 1n,
  },
  "1.3.132.0.35": { name: "P521", bytes: 66, prime: 2n ** 521n - 1n },
};

interface Curve {
  readonly name: string;
  /** The size of a coordinate, which is below the prime. */
  readonly bytes: number;
  readonly prime: bigint;
}

/** The type of a SubjectPublicKeyInfo; undefined for one that Go does not know. */
export function keyTypeOf(key: DerElement): "RSA" | "DSA" | "ECDSA" | "Ed25519" | undefined {
  const [type] = inside(inside(key)[0]);
  return type && keyTypes[readOid(type)];
}

/** Why a public key is invalid; keys of unknown types pass here, and verify nothing. */
export function publicKeyFault(key: DerElement): string | undefined {
  const [algorithm, bits] = inside(key);
  const parameters = inside(algorithm)[1];
  if (!bits) return undefined;
  const data = bitsOf(bits);
  switch (keyTypeOf(key)) {
    case "RSA":
      return parameters && rawOf(parameters).toString("hex") === "0500"
        ? modulusFault(data)
        : "x509: RSA key missing NULL parameters";
    case "DSA":
      return dsaFault(parameters, data);
    case "ECDSA":
      return pointFault(key, parameters, data);
    case "Ed25519":
      if (parameters) return "x509: Ed25519 key encoded with illegal parameters";
      return data.length === 32 ? undefined : "x509: wrong Ed25519 public key size";
    default:
      return undefined;
  }
}

/** Modulus and exponent of an RSA key; undefined where they are no integers. */
export function readRsaKey(
  key: DerElement,
): { readonly modulus: bigint; readonly exponent: bigint } | undefined {
  const bits = inside(key)[1];
  const modulus = readInteger(
    readTagged(bits ? bitsOf(bits) : Buffer.alloc(0), 0x30)?.content ?? none,
  );
  const exponent = modulus && readInteger(modulus.rest);
  return exponent && { modulus: modulus.value, exponent: exponent.value };
}

const none = new Uint8Array();

function modulusFault(data: Uint8Array): string | undefined {
  const content = readTagged(data, 0x30)?.content;
  if (!content) return "x509: invalid RSA public key";
  const modulus = readInteger(content);
  if (!modulus) return "x509: invalid RSA modulus";
  const exponent = readInteger(modulus.rest)?.value;
  if (exponent === undefined || exponent !== BigInt.asIntN(64, exponent))
    return "x509: invalid RSA public exponent";
  if (modulus.value <= 0n) return "x509: RSA modulus is not a positive number";
  return exponent <= 0n ? "x509: RSA public exponent is not a positive number" : undefined;
}

function dsaFault(parameters: DerElement | undefined, data: Uint8Array): string | undefined {
  const y = readInteger(data)?.value;
  if (y === undefined) return "x509: invalid DSA public key";
  const numbers = [y];
  let rest = readTagged(parameters ? rawOf(parameters) : none, 0x30)?.content;
  for (let i = 0; i < 3; i++) {
    const next = rest && readInteger(rest);
    if (!next) return "x509: invalid DSA parameters";
    numbers.push(next.value);
    rest = next.rest;
  }
  return numbers.some((number) => number <= 0n)
    ? "x509: zero or negative DSA parameter"
    : undefined;
}

function pointFault(
  key: DerElement,
  parameters: DerElement | undefined,
  data: Uint8Array,
): string | undefined {
  if (parameters?.tag !== 6 || !isObjectIdentifier(contentOf(parameters)))
    return "x509: invalid ECDSA parameters";
  const curve = curves[readOid(parameters)];
  if (!curve) return "x509: unsupported elliptic curve";
  const { name, bytes, prime } = curve;
  if (data[0] !== 4) return "ecdsa: invalid uncompressed public key";
  if (data.length !== 1 + 2 * bytes) return `invalid ${name} point encoding`;
  const coordinates = [data.subarray(1, 1 + bytes), data.subarray(1 + bytes)];
  if (coordinates.some((each) => BigInt(`0x${Buffer.from(each).toString("hex")}`) >= prime))
    return `invalid ${name}${name === "P256" ? " element" : "Element"} encoding`;
  return readKey(key) ? undefined : `${name} point not on curve`;
}

/** The key as it verifies; undefined for one that cannot. */
export function readKey(key: DerElement): KeyObject | undefined {
  try {
    return createPublicKey({ key: rawOf(key), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
