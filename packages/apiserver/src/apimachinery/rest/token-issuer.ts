// Service account tokens as the registry and the authenticators see them;
// certificates/token-issuer.ts implements the issuer.
// Upstream: k8s.io/kubernetes/pkg/serviceaccount/jwt.go (TokenGenerator).
import type { JsonObject } from "homeostat/api";

/** Issues and verifies service account tokens. */
export interface TokenIssuer {
  readonly issuer: string;
  /** The audiences of a token whose request names none. */
  readonly audiences: readonly string[];
  /** A token with these claims and the issuer's own, e.g. `eyJhbGciOi….eyJhdWQiOi….MEUCIQ…`. */
  sign(claims: JsonObject): string;
  /**
   * The claims of a token that this issuer has signed, otherwise undefined. Expiry is not checked.
   */
  verify(token: string): JsonObject | undefined;
  /** The public key, as JSON Web Key Sets hold it. */
  publicKey(): JsonObject;
}
