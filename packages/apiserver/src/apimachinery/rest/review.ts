// Resources that are questions: creating one answers it, and nothing is stored.
// Upstream: k8s.io/kubernetes/pkg/registry/authorization, pkg/registry/authentication.
import type { JsonObject } from "homeostat/api";
import type { Authorization } from "../authorizer.ts";
import type { UserInfo } from "../user-info.ts";

/** The request behind a review. */
export interface ReviewCaller extends Authorization {
  readonly user: UserInfo;
  readonly namespace: string;
  /** RFC 3339, second precision. */
  readonly now: string;
  /**
   * Authenticates a token for one of `audiences`; the server's own audiences if the list is empty.
   */
  reviewToken(token: string, audiences: readonly string[]): TokenReviewResult;
}

/**
 * The user of a bearer token and the audiences it matched, or why it was refused: "" if there is no
 * token.
 */
export type TokenReviewResult =
  | { readonly user: UserInfo; readonly audiences: readonly string[] }
  | { readonly error: string };

/**
 * Fills in the status of a posted review (access reviews, token reviews). May mutate its argument.
 * Throws an ApiStatusError.
 */
export type ReviewHandler = (
  object: JsonObject,
  caller: ReviewCaller,
) => JsonObject | Promise<JsonObject>;
