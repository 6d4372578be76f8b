// Service account tokens as the registry and the authenticators see them;
// certificates/token-issuer.ts implements the issuer.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/jwt.go (TokenGenerator).
import type { JsonObject } from "homeostat/api";

/** The claims of a token, or why a token that names the issuer is none of its own. */
export type VerifiedToken =
  | { readonly claims: JsonObject }
  /** E.g. `invalid signature, no keys found`. */
  | { readonly fault: string };

/** Issues and verifies service account tokens. */
export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of a token whose request names none. */
  readonly audiences: readonly string[];
  /** A token with these claims and the issuer's own, e.g. `eyJhbGciOi….eyJhdWQiOi….MEUCIQ…`. */
  sign(claims: JsonObject): string;
  /** Undefined for a text that is no token or names another issuer. Expiry is not checked. */
  verify(token: string): VerifiedToken | undefined;
  /** The public key, as JSON Web Key Sets hold it. */
  publicKey(): JsonObject;
}
