// SelfSubjectReview and TokenReview: requests that are answered and not stored.
// Upstream: k8s.io/kubernetes/pkg/registry/authentication/{selfsubjectreview,tokenreview}.
import type { Decoded } from "homeostat/api";
import type { SelfSubjectReview, TokenReview } from "homeostat/k8s/authentication/v1";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { reviewedUser } from "../../apimachinery/user-info.ts";
import { gvk, type KindDefinition } from "../definition/kind-definition.ts";

const group = "authentication.k8s.io";

export const selfSubjectReview: KindDefinition<Decoded<SelfSubjectReview>> = {
  ...gvk("authentication.k8s.io/v1", "SelfSubjectReview"),
  review: (_object, { user, now }) => ({
    apiVersion: `${group}/v1`,
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: now },
    status: { userInfo: reviewedUser(user) },
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
        ? { user: {}, ...(result.error ? { error: result.error } : {}) }
        : {
            authenticated: true,
            user: reviewedUser(result.user),
            audiences: [...result.audiences],
          };
    return object;
  },
};
