// Continue tokens hold the key and revision at which a list continues, e.g.
// {"v":"meta.k8s.io/v1","rv":17,"start":"/web\u0000"} in URL-safe base64.
// Upstream: k8s.io/apiserver/pkg/storage/continue.go.
import { isObject, type Json, JsonSyntaxError, parseJson } from "homeostat/api";
import { badRequestError } from "../../apimachinery/errors/api-errors.ts";
import { goKindOf } from "../../apimachinery/values/go-kind.ts";

/** The position of the next page. */
export interface ContinueToken {
  /** The key without the list's prefix; inclusive. */
  readonly start: string;
  /** -1: continue at the newest revision. */
  readonly revision: number;
}

/** Formats a token. */
export function formatContinue({ start, revision }: ContinueToken): string {
  // Go escapes NUL in the same way; the order of members is upstream's.
  return Buffer.from(
    `{"v":"meta.k8s.io/v1","rv":${revision},"start":${JSON.stringify(`/${start}`)}}`,
  ).toString("base64url");
}

/** Parses a token; throws 400. */
export function parseContinue(token: string): ContinueToken {
  const value = decode(token);
  const fault = typeFault(value);
  if (fault) throw refuse(`continue key is not valid: json: cannot unmarshal ${fault}`);
  if (!isObject(value) || value.v !== "meta.k8s.io/v1")
    throw refuse(
      `continue key is not valid: server does not recognize this encoded version ${isObject(value) && typeof value.v === "string" ? value.v : ""}`,
    );
  const revision = typeof value.rv === "number" ? value.rv : 0;
  if (revision === 0)
    throw refuse(
      "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
    );
  const start = typeof value.start === "string" ? value.start : "";
  if (!start)
    throw refuse("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  const path = start.startsWith("/") ? start : `/${start}`;
  if (!isClean(path)) throw refuse(`continue key is not valid: ${start}`);
  return { start: path.slice(1), revision };
}

/**
 * The mismatch with Go's struct, e.g. `string into Go struct field continueToken.rv of type int64`.
 */
function typeFault(value: Json): string | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return `${goKindOf(value)} into Go value of type storage.continueToken`;
  for (const [field, type] of [
    ["v", "string"],
    ["rv", "int64"],
    ["start", "string"],
  ] as const) {
    const member = Object.hasOwn(value, field) ? value[field]! : null;
    const fits =
      type === "string"
        ? typeof member === "string"
        : Number.isSafeInteger(Number(member)) &&
          typeof member !== "string" &&
          typeof member !== "boolean";
    if (member !== null && !fits)
      return `${typeof member === "number" ? `number ${member}` : goKindOf(member)} into Go struct field continueToken.${field} of type ${type}`;
  }
  return undefined;
}

/** True if Go's path.Clean would not change it. */
const isClean = (path: string): boolean =>
  path === "/" ||
  (!path.endsWith("/") &&
    path
      .slice(1)
      .split("/")
      .every((part) => part !== "" && part !== "." && part !== ".."));

function decode(token: string): Json {
  const wrong = token.search(/[^A-Za-z0-9_-]/);
  if (wrong >= 0)
    throw refuse(`continue key is not valid: illegal base64 data at input byte ${wrong}`);
  if (token.length % 4 === 1)
    throw refuse(
      `continue key is not valid: illegal base64 data at input byte ${token.length - 1}`,
    );
  const bytes = Buffer.from(token, "base64url");
  try {
    return parseJson(bytes.toString("utf8")).value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    // Decoding has replaced an invalid first byte.
    const [first = 0] = bytes;
    const shown =
      first < 0xa1 || first === 0xad ? `\\u00${first.toString(16)}` : String.fromCharCode(first);
    const why =
      first < 0x80 ? error.message : `invalid character '${shown}' looking for beginning of value`;
    throw refuse(`continue key is not valid: ${why}`);
  }
}

const refuse = (why: string): Error => badRequestError(`invalid continue token: ${why}`);
