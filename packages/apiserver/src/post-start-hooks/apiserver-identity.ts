// The name by which an API server is told from others: the same after a restart on the same
// machine.
// Upstream: k8s.io/apiserver/pkg/server/config.go (APIServerID).
import { createHash } from "node:crypto";

/** The name of the server on this machine: made from both names, each after its length. */
export function serverId(hostname: string, component: string): string {
  const hash = createHash("sha256");
  for (const part of [hostname, component].map((text) => Buffer.from(text)))
    hash.update(Uint8Array.of(part.length >> 8, part.length & 0xff)).update(part);
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** RFC 4648 section 6, in small letters and without padding. */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return (bits.match(/.{1,5}/g) ?? [])
    .map((five) => alphabet[parseInt(five.padEnd(5, "0"), 2)])
    .join("");
}
