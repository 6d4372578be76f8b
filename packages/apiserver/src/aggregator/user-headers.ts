// The headers by which an extension server knows the user of a request. Pure.
// Upstream: k8s.io/client-go/transport/round_trippers.go (SetAuthProxyHeaders).
import type { UserInfo } from "../apimachinery/user-info.ts";

/** The headers that state the user; those that the client sent under these names are dropped. */
export function userHeaders({
  name,
  uid,
  groups,
  extra,
}: UserInfo): Record<string, string | readonly string[]> {
  return {
    "x-remote-user": name,
    ...(uid ? { "x-remote-uid": uid } : {}),
    ...(groups.length ? { "x-remote-group": groups } : {}),
    ...Object.fromEntries(
      Object.entries(extra ?? {}).map(([key, values]) => [
        `x-remote-extra-${escapeHeaderKey(key)}`,
        values,
      ]),
    ),
  };
}

/** A key as a header name: every byte that a name cannot have is escaped. */
export const escapeHeaderKey = (key: string): string =>
  Array.from(Buffer.from(key), (byte) => {
    const letter = String.fromCharCode(byte);
    const isPlain = byte < 0x80 && /[A-Za-z0-9!#$&'*+.^_`|~-]/.test(letter);
    return isPlain ? letter : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
