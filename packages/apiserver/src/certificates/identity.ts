// What makes a server the same server after a restart: its certificate authority and its bearer token. In memory, or in a
// file that only its owner may read.
import { existsSync, readFileSync } from "node:fs";
import type { Runtime } from "homeostat/runtime";
import { type Authority, createAuthority } from "./authority.ts";
import { writePrivateFile } from "./write-private-file.ts";

/** Secrets of one server. */
export interface Identity {
  readonly authority: Authority;
  /** Bearer token of the administrator. */
  readonly token: string;
}

/** Makes up an identity. */
export function createIdentity(runtime: Runtime): Identity {
  return { authority: createAuthority({ runtime }), token: Buffer.from(runtime.entropy.bytes(32)).toString("base64url") };
}

/** Reads the identity from `file`, or makes one up and keeps it there, mode 0600. */
export function loadIdentity(file: string, runtime: Runtime): Identity {
  if (existsSync(file)) return JSON.parse(readFileSync(file, "utf8")) as Identity;
  const identity = createIdentity(runtime);
  writePrivateFile(file, JSON.stringify(identity));
  return identity;
}
