// What makes a server the same server after a restart: its certificate authority and its bearer
// token. In memory, or in a file that only its owner may read.
import { existsSync, readFileSync } from "node:fs";
import { isObject, type Json } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import { reasonOf, ServerError } from "../apimachinery/errors/server-error.ts";
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
  return {
    authority: createAuthority({ runtime }),
    token: Buffer.from(runtime.entropy.bytes(32)).toString("base64url"),
  };
}

/**
 * Reads the identity from `file`, or makes one up and keeps it there, mode 0600. Throws a {@link
 * ServerError} for a file that holds none.
 */
export function loadIdentity(file: string, runtime: Runtime): Identity {
  if (existsSync(file)) return parseIdentity(file, readFileSync(file, "utf8"));
  const identity = createIdentity(runtime);
  writePrivateFile(file, JSON.stringify(identity));
  return identity;
}

function parseIdentity(file: string, text: string): Identity {
  const hint =
    "restore it from a copy, or delete it: certificates, tokens and kubeconfigs of this server are then made anew, and old ones are refused";
  let found: Json;
  try {
    found = JSON.parse(text) as Json;
  } catch (error) {
    throw new ServerError("ERR_SERVER_IDENTITY", `read ${file}: ${reasonOf(error)}; ${hint}`, {
      cause: error,
    });
  }
  const authority = isObject(found) ? found["authority"] : undefined;
  const isWhole =
    isObject(found) &&
    typeof found["token"] === "string" &&
    isObject(authority) &&
    ["commonName", "cert", "key"].every((field) => typeof authority[field] === "string");
  if (!isWhole)
    throw new ServerError(
      "ERR_SERVER_IDENTITY",
      `read ${file}: expected a token and an authority with commonName, cert and key; ${hint}`,
    );
  return found as unknown as Identity;
}
