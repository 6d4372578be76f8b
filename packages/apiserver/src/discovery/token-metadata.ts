// OpenID metadata, with which clients verify service account tokens: the issuer and its public
// keys.
// Upstream: k8s.io/kubernetes/pkg/routes/openidmetadata.go, pkg/serviceaccount/openidmetadata.go.
import type { JsonObject } from "homeostat/api";
import type { ApiResponse } from "../apimachinery/handler.ts";
import type { DiscoveryRequest } from "./discovery-request.ts";
import { refusal } from "./installed-route.ts";
import type { EncodeProtobuf } from "./write-document.ts";

/** The public part of a TokenIssuer. */
export interface PublicIssuer {
  readonly issuer: string;
  publicKey(): JsonObject;
}

const configurationPath = "/.well-known/openid-configuration";
const keysPath = "/openid/v1/jwks";

/** The paths of the metadata. */
export const tokenMetadataPaths = [configurationPath, keysPath];

interface TokenMetadataOptions {
  /** The address of this server as `host:port`. */
  readonly address: string;
  readonly protobuf?: EncodeProtobuf;
}

/** Answers the two paths; undefined for every other. */
export function tokenMetadata(
  request: DiscoveryRequest,
  issuer: PublicIssuer,
  { address, protobuf }: TokenMetadataOptions,
): ApiResponse | undefined {
  const plain = request.path.replace(/(?<=.)\/$/, "");
  if (plain === configurationPath)
    return (
      refusal(request, ["application/json"], protobuf) ??
      response("application/json", configuration(issuer, address))
    );
  if (plain === keysPath)
    return (
      refusal(request, ["application/jwk-set+json"], protobuf) ??
      response("application/jwk-set+json", { keys: [inOrder(issuer.publicKey())] })
    );
  return undefined;
}

function configuration(issuer: PublicIssuer, address: string): JsonObject {
  return {
    issuer: issuer.issuer,
    jwks_uri: `https://${address}${keysPath}`,
    response_types_supported: ["id_token"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: [issuer.publicKey()["alg"]!],
  };
}

const members = ["use", "kty", "kid", "crv", "alg", "x", "y", "n", "e"];

/** A key with its members in upstream's order. */
function inOrder(key: JsonObject): JsonObject {
  return Object.fromEntries(
    members.flatMap((name) => (key[name] === undefined ? [] : [[name, key[name]]])),
  );
}

function response(type: string, document: JsonObject): ApiResponse {
  return {
    status: 200,
    headers: { "content-type": type, "cache-control": "public, max-age=3600" },
    body: new TextEncoder().encode(JSON.stringify(document)),
  };
}
