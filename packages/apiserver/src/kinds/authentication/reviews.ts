// Questions about identity: who am I, and whose token is this. Nothing is stored.
// Upstream: k8s.io/kubernetes/pkg/registry/authentication/{selfsubjectreview,tokenreview}.
import type { JsonObject } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import type { KindDefinition } from "../definition/kind-definition.ts";
import { objectAt, stringAt } from "../../apimachinery/meta/read-fields.ts";

const group = "authentication.k8s.io";

export const selfSubjectReview: KindDefinition = {
  group,
  version: "v1",
  kind: "SelfSubjectReview",
  review: (_object, { user, now }) => ({
    apiVersion: `${group}/v1`,
    kind: "SelfSubjectReview",
    metadata: { creationTimestamp: now },
    status: { userInfo: userInfoOf(user) },
  }),
};

export const tokenReview: KindDefinition = {
  group,
  version: "v1",
  kind: "TokenReview",
  review(object, { reviewToken }) {
    const spec = objectAt(object, "spec");
    const token = stringAt(spec, "token");
    if (!token) throw badRequestError("token is required for TokenReview in authentication");
    const audiences = Array.isArray(spec["audiences"]) ? spec["audiences"].map(String) : [];
    const word = reviewToken(token, audiences);
    object["status"] =
      "error" in word
        ? { user: {}, error: word.error }
        : { authenticated: true, user: userInfoOf(word.user), audiences: [...word.audiences] };
    return object;
  },
};

function userInfoOf({ name, uid, groups, extra }: UserInfo): JsonObject {
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
