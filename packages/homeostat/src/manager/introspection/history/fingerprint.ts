// What errors of one cause have in common, through restarts too.
import { createHash } from "node:crypto";
import { isApiStatusError } from "../../../api/status.ts";
import { describeError } from "../../../util/describe-error.ts";
import { isHomeostatError } from "../../../util/homeostat-error.ts";
import { cut, type RecordedError } from "./recorded-attempt.ts";

/** Texts within a message that tell one object from another. */
const uids = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

/** Characters of a message that are read, and of what is left of them that are compared. */
const readChars = 600;
const comparedChars = 200;

/** An error of the object `key`, as it is kept. Never throws. */
export function recordError(key: string, error: unknown): RecordedError {
  const message = cut(describeError(error));
  const code = codeOf(error);
  const hint = hintOf(error);
  return {
    fingerprint: fingerprintOf(key, code, message),
    ...(code === undefined ? {} : { code }),
    message,
    ...(hint === undefined ? {} : { hint: cut(hint) }),
  };
}

/** e.g. `3f9a0c1d5b72` */
export function fingerprintOf(key: string, code: string | undefined, message: string): string {
  const slash = key.indexOf("/");
  const parts = slash < 0 ? [key] : [key, key.slice(slash + 1), key.slice(0, slash)];
  let text = message.slice(0, readChars);
  for (const part of parts) if (part !== "") text = withoutWord(text, part);
  text = text.replaceAll(uids, "…").replace(/\d+/g, "#").slice(0, comparedChars);
  return createHash("sha256")
    .update(`${code ?? ""}\n${text}`)
    .digest("hex")
    .slice(0, 12);
}

/** Names are short at times: `a` is no part of `failed`. */
function withoutWord(text: string, name: string): string {
  let found = "";
  let from = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
    const isWord = !isWithin(text[at - 1]) && !isWithin(text[at + name.length]);
    if (!isWord) continue;
    found += `${text.slice(from, at)}…`;
    from = at + name.length;
  }
  return found + text.slice(from);
}

const isWithin = (character: string | undefined): boolean =>
  character !== undefined && /[\w-]/.test(character);

function codeOf(error: unknown): string | undefined {
  try {
    if (isHomeostatError(error)) return error.code;
    if (isApiStatusError(error)) return error.status.reason ?? `${error.status.code}`;
    const { code, name } = error as { readonly code?: unknown; readonly name?: unknown };
    if (typeof code === "string") return cut(code);
    return typeof name === "string" && name !== "Error" ? cut(name) : undefined;
  } catch {
    return undefined;
  }
}

function hintOf(error: unknown): string | undefined {
  try {
    return isHomeostatError(error) ? error.hint : undefined;
  } catch {
    return undefined;
  }
}
