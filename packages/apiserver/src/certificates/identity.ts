// The identity that a server keeps over restarts: its certificate authority and its bearer token.
// In memory, or in a file that only its owner can read.
import { existsSync, readFileSync } from "node:fs";
import { isObject, type Json } from "homeostat/api";
import type { Runtime } from "homeostat/runtime";
import { reasonOf, ServerError } from "../apimachinery/errors/server-error.ts";
import { type Authority, createAuthority } from "homeostat/certificates";
import { writePrivateFile } from "./write-private-file.ts";

/** Secrets of one server. */
export interface Identity {
  readonly authority: Authority;
  /** Bearer token of the administrator. */
  readonly token: string;
}

/** Creates an identity. */
export function createIdentity(runtime: Runtime): Identity {
  return {
    authority: createAuthority({ runtime }),
    token: Buffer.from(runtime.entropy.bytes(32)).toString("base64url"),
  };
}

/**
 * Reads the identity from `file`, or creates it there with mode 0600. Throws {@link ServerError}
 * for a malformed file.
 */
export function loadIdentity(file: string, runtime: Runtime): Identity {
  if (existsSync(file)) return parseIdentity(file, readFileSync(file, "utf8"));
  const identity = createIdentity(runtime);
  writePrivateFile(file, JSON.stringify(identity));
  return identity;
}

function parseIdentity(file: string, text: string): Identity {
  const hint =
    "restore it from a copy, or delete it: the server then creates new certificates, tokens and kubeconfigs, and refuses old ones";
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
