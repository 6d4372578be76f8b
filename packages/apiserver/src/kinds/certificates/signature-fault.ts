// Checks the signature of a certificate request as Go does.
// Upstream: Go's crypto/x509 (x509.go, checkSignature), crypto/rsa.
import { constants, verify } from "node:crypto";
import {
  bitsOf,
  contentOf,
  type DerElement,
  inside,
  rawOf,
  readOid,
} from "../../certificates/read-der.ts";
import { keyTypeOf, readKey, readRsaKey } from "./public-key-fault.ts";

interface SignatureAlgorithm {
  readonly key: "RSA" | "DSA" | "ECDSA" | "Ed25519";
  /** Undefined for an algorithm that hashes nothing before. */
  readonly digest: string | undefined;
  /** The bytes of the salt of RSA-PSS. */
  readonly saltLength?: number;
}

const rsa = "1.2.840.113549.1.1";
const ecdsa = "1.2.840.10045.4";
const algorithms: Readonly<Record<string, SignatureAlgorithm>> = {
  [`${rsa}.4`]: { key: "RSA", digest: "md5" },
  [`${rsa}.5`]: { key: "RSA", digest: "sha1" },
  "1.3.14.3.2.29": { key: "RSA", digest: "sha1" },
  [`${rsa}.11`]: { key: "RSA", digest: "sha256" },
  [`${rsa}.12`]: { key: "RSA", digest: "sha384" },
  [`${rsa}.13`]: { key: "RSA", digest: "sha512" },
  "1.2.840.10040.4.3": { key: "DSA", digest: "sha1" },
  "2.16.840.1.101.3.4.3.2": { key: "DSA", digest: "sha256" },
  [`${ecdsa}.1`]: { key: "ECDSA", digest: "sha1" },
  [`${ecdsa}.3.2`]: { key: "ECDSA", digest: "sha256" },
  [`${ecdsa}.3.3`]: { key: "ECDSA", digest: "sha384" },
  [`${ecdsa}.3.4`]: { key: "ECDSA", digest: "sha512" },
  "1.3.101.112": { key: "Ed25519", digest: undefined },
};
/** Parameters of RSA-PSS by object identifier of the hash. */
const pssHashes: Readonly<Record<string, readonly [digest: string, saltLength: number]>> = {
  "2.16.840.1.101.3.4.2.1": ["sha256", 32],
  "2.16.840.1.101.3.4.2.2": ["sha384", 48],
  "2.16.840.1.101.3.4.2.3": ["sha512", 64],
};
const maskGeneration = "1.2.840.113549.1.1.8";
const goKeyTypes = {
  RSA: "*rsa.PublicKey",
  ECDSA: "*ecdsa.PublicKey",
  Ed25519: "ed25519.PublicKey",
};

const cannotVerify = "x509: cannot verify signature";
const unimplemented = `${cannotVerify}: algorithm unimplemented`;

/** Why a request is not signed by its own key; undefined when it is. */
export function signatureFault(
  info: DerElement,
  algorithm: DerElement,
  signature: DerElement,
): string | undefined {
  const key = inside(info)[2];
  const by = readAlgorithm(algorithm);
  const keyType = key && keyTypeOf(key);
  if (!by) return unimplemented;
  if (by.digest === "md5") return `${cannotVerify}: insecure algorithm MD5-RSA`;
  if (!key || keyType === undefined || keyType === "DSA") return unimplemented;
  if (by.key !== keyType)
    return `x509: signature algorithm specifies an ${by.key} public key, but have public key of type ${goKeyTypes[keyType]}`;
  const isValid = (): boolean => isSigned(info, by, key, bitsOf(signature));
  if (keyType === "RSA")
    return rsaFault(key) ?? (isValid() ? undefined : rsaError("verification error"));
  return isValid() ? undefined : `x509: ${keyType} verification failure`;
}

function isSigned(
  info: DerElement,
  { digest, saltLength }: SignatureAlgorithm,
  key: DerElement,
  signature: Uint8Array,
): boolean {
  const publicKey = readKey(key);
  if (!publicKey) return false;
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength };
  const how = { key: publicKey, ...(saltLength === undefined ? {} : padding) };
  try {
    return verify(digest ?? null, rawOf(info), how, signature);
  } catch {
    return false;
  }
}

function readAlgorithm(algorithm: DerElement): SignatureAlgorithm | undefined {
  const [name, parameters] = inside(algorithm);
  const oid = name && readOid(name);
  if (oid === undefined) return undefined;
  if (oid === `${rsa}.10`) return readPss(parameters);
  const found = algorithms[oid];
  return found?.key === "Ed25519" && parameters ? undefined : found;
}

/** Only hash, mask generation and salt that belong together; the trailer has its default. */
function readPss(parameters: DerElement | undefined): SignatureAlgorithm | undefined {
  const tagged = new Map(inside(parameters).map((each) => [each.tag, inside(each)[0]]));
  const [hash, hashParameters] = inside(tagged.get(0xa0));
  const [mask, maskHash] = inside(tagged.get(0xa1));
  const [masked, maskedParameters] = inside(maskHash);
  const salt = tagged.get(0xa2);
  if (!hash || !mask || !masked || !salt || tagged.has(0xa3)) return undefined;
  if ([hash, mask, masked].some(({ tag }) => tag !== 6) || salt.tag !== 2) return undefined;
  const [digest, saltLength] = pssHashes[readOid(hash)] ?? [];
  const fits =
    readOid(mask) === maskGeneration &&
    readOid(masked) === readOid(hash) &&
    [hashParameters, maskedParameters].every(isNull) &&
    Number(`0x${contentOf(salt).toString("hex")}`) === saltLength;
  return fits && digest !== undefined ? { key: "RSA", digest, saltLength } : undefined;
}

const isNull = (parameters: DerElement | undefined): boolean =>
  !parameters || rawOf(parameters).toString("hex") === "0500";

const leastRsaBits = 1024;
const rsaError = (what: string): string => `crypto/rsa: ${what}`;

/** Why Go verifies nothing by an RSA key. */
function rsaFault(key: DerElement): string | undefined {
  const { modulus, exponent } = readRsaKey(key) ?? { modulus: 0n, exponent: 0n };
  const bits = modulus.toString(2).length;
  if (bits < leastRsaBits)
    return rsaError(
      `${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`,
    );
  if (modulus % 2n === 0n) return rsaError("public modulus is even");
  if (exponent < 2n) return rsaError("public exponent too small or negative");
  if (exponent % 2n === 0n) return rsaError("public exponent is even");
  return exponent > 0x7fffffffn ? rsaError("public exponent too large") : undefined;
}
