// Signs and verifies service account tokens: JSON Web Tokens, ES256 or RS256 by the type of the
// key. Knows no objects: callers check that the account still exists.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/jwt.go, openidmetadata.go.
import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { encodeJsonBytes, type Json, type JsonObject } from "homeostat/api";
import type { TokenIssuer, VerifiedToken } from "../apimachinery/rest/token-issuer.ts";

export interface TokenIssuerOptions {
  /** Default `https://kubernetes.default.svc.cluster.local`. */
  readonly issuer?: string;
  /** PEM, RSA or EC P-256. Default: a new key, created on first use. */
  readonly privateKey?: string;
}

interface Keys {
  readonly secret: KeyObject;
  readonly open: KeyObject;
  readonly algorithm: "ES256" | "RS256";
  readonly id: string;
}

/** Creates an issuer. Throws the error of node:crypto for a malformed key. */
export function createTokenIssuer(options: TokenIssuerOptions = {}): TokenIssuer {
  const issuer = options.issuer ?? "https://kubernetes.default.svc.cluster.local";
  let keys: Keys | undefined =
    options.privateKey === undefined ? undefined : keysOf(createPrivateKey(options.privateKey));
  const use = (): Keys =>
    (keys ??= keysOf(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey));
  return {
    issuer,
    audiences: [issuer],
    sign(claims) {
      const { secret, algorithm, id } = use();
      const text = `${part({ alg: algorithm, kid: id })}.${part({ ...claims, iss: issuer })}`;
      return `${text}.${sign("sha256", Buffer.from(text), { key: secret, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
    },
    verify: (token) => verifyToken(token, issuer, use()),
    publicKey() {
      const { open, algorithm, id } = use();
      const { kty, ...rest } = open.export({ format: "jwk" });
      return { use: "sig", kty: kty!, kid: id, ...rest, alg: algorithm } as JsonObject;
    },
  };
}

function keysOf(secret: KeyObject): Keys {
  const open = createPublicKey(secret);
  const id = createHash("sha256")
    .update(open.export({ type: "spki", format: "der" }))
    .digest("base64url");
  return { secret, open, algorithm: secret.asymmetricKeyType === "rsa" ? "RS256" : "ES256", id };
}

/** With sorted keys, as upstream's. */
const part = (value: JsonObject): string =>
  Buffer.from(
    encodeJsonBytes(
      Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    ),
  ).toString("base64url");

/** Errors of go-jose, as upstream's authenticator passes them on. */
const faults = {
  signature: "go-jose/go-jose: error in cryptographic primitive",
  key: "invalid signature, no keys found",
};

function verifyToken(
  token: string,
  issuer: string,
  { open, algorithm, id }: Keys,
): VerifiedToken | undefined {
  const [head = "", payload = "", signature, ...more] = token.split(".");
  if (signature === undefined || more.length || !base64Url.test(signature)) return undefined;
  const [header, claims] = [parse(head), parse(payload)];
  if (claims?.["iss"] !== issuer || !header || !isText(header["alg"]) || !isText(header["kid"]))
    return undefined;
  if (header["kid"] && header["kid"] !== id) return { fault: faults.key };
  const signed =
    header["alg"] === algorithm &&
    verify(
      "sha256",
      Buffer.from(`${head}.${payload}`),
      { key: open, dsaEncoding: "ieee-p1363" },
      Buffer.from(signature, "base64url"),
    );
  return signed ? { claims } : { fault: faults.signature };
}

const base64Url = /^[\w-]*$/;

const isText = (value: Json | undefined): boolean =>
  value === undefined || value === null || typeof value === "string";

function parse(base64: string): JsonObject | undefined {
  if (!base64Url.test(base64)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64, "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
