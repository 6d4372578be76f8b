// SelfSubjectReview and TokenReview: requests that are answered and not stored.
// Upstream: k8s.io/kubernetes/pkg/registry/authentication/{selfsubjectreview,tokenreview}.
import type { Decoded } from "homeostat/api";
import type {
  SelfSubjectReview,
  TokenReview,
  UserInfo as ReviewedUser,
} from "homeostat/k8s/authentication/v1";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";

const group = "authentication.k8s.io";

export const selfSubjectReview: KindDefinition<Decoded<SelfSubjectReview>> = {
  ...gvk("authentication.k8s.io/v1", "SelfSubjectReview"),
  review: (_object, { user, now }) => ({
    apiVersion: `${group}/v1`,
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: now },
    status: { userInfo: userInfoOf(user) },
  }),
};

export const tokenReview: KindDefinition<Decoded<TokenReview>> = {
  ...gvk("authentication.k8s.io/v1", "TokenReview"),
  review(object: Decoded<TokenReview>, { reviewToken }) {
    const { token, audiences } = object.spec ?? {};
    if (!token) throw badRequestError("token is required for TokenReview in authentication");
    const result = reviewToken(token, audiences ?? []);
    object.status =
      "error" in result
        ? { user: {}, error: result.error }
        : { authenticated: true, user: userInfoOf(result.user), audiences: [...result.audiences] };
    return object;
  },
};

function userInfoOf({ name, uid, groups, extra }: UserInfo): Decoded<ReviewedUser> {
  return {
    ...(name ? { username: name } : {}),
    ...(uid ? { uid } : {}),
    ...(groups.length ? { groups: [...groups] } : {}),
    ...(extra && Object.keys(extra).length
      ? {
          extra: Object.fromEntries(
            Object.entries(extra).map(([key, values]) => [key, [...values]]),
          ),
        }
      : {}),
  };
}
