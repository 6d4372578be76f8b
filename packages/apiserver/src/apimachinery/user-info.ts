// The user behind a request.
// Upstream: k8s.io/apiserver/pkg/authentication/user/user.go.

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
