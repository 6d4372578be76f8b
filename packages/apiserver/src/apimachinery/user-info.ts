// The user behind a request.
// Upstream: k8s.io/apiserver/pkg/authentication/user/user.go.
import { compareBytewise } from "homeostat/api";

/** An authenticated user. */
export interface UserInfo {
  readonly name: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The server itself, where it sends requests to its own handler. */
export const loopbackUser: UserInfo = {
  name: "system:apiserver",
  groups: ["system:masters", "system:authenticated"],
};

/** The user of requests without credentials. */
export const anonymous: UserInfo = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** A user in authentication.k8s.io/v1, without what is empty. */
export type ReviewedUser = {
  username?: string;
  uid?: string;
  groups?: string[];
  extra?: Record<string, string[]>;
};

/** The user as reviews and policies show it; `extra` is sorted by key. */
export function reviewedUser({ name, uid, groups, extra = {} }: UserInfo): ReviewedUser {
  const keys = Object.keys(extra).toSorted(compareBytewise);
  return {
    ...(name ? { username: name } : {}),
    ...(uid ? { uid } : {}),
    ...(groups.length ? { groups: [...groups] } : {}),
    ...(keys.length
      ? { extra: Object.fromEntries(keys.map((key) => [key, [...extra[key]!]])) }
      : {}),
  };
}
