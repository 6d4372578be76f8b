// Answers that say 200 and are none: a proxy's page, another kind, a list without end. They become
// errors that name request, server, what came and what to do, and never reach the user's code. An
// answer without a kind is believed: servers omit it for items of lists, and some proxies
// elsewhere.
import { isObject, type Json } from "../api/json.ts";
import type { Kind } from "../api/kind.ts";
import { HomeostatError } from "../util/homeostat-error.ts";
import type { ApiRequest } from "./client.ts";
import type { Answer } from "./exchange.ts";
import { decodeJson } from "./request/decode-json.ts";

const shownBytes = 120;

/** What was asked, and whom; for messages. */
export interface Asked {
  readonly request: Pick<ApiRequest, "method" | "path">;
  /** The server's address, where it is known. */
  readonly server: string | undefined;
}

/** Parses an answer. @throws ERR_CLIENT_ANSWER */
export function readAnswer(asked: Asked, { status, headers, body }: Answer): Json {
  try {
    return decodeJson(body);
  } catch (cause) {
    const type = headers["content-type"] ?? "no content-type";
    const text = new TextDecoder().decode(body.subarray(0, shownBytes)).trim();
    throw answerError(asked, `JSON, got ${status} with ${type}: ${text || "nothing"}`, cause);
  }
}

/** Checks the answer to a write; those of most subresources are of other kinds. */
export function checkWritten(
  asked: Asked,
  kind: Kind,
  answer: Json,
  subresource: string | undefined,
): void {
  const { apiVersion, kind: name } = kind;
  if (!isObject(answer))
    throw answerError(asked, `${apiVersion} ${name}, got ${JSON.stringify(answer)}`);
  if (subresource !== undefined && subresource !== "status") return;
  const isOther = answer["kind"] !== undefined && answer["kind"] !== name;
  if (isOther || (answer["apiVersion"] ?? apiVersion) !== apiVersion)
    throw answerError(asked, `${apiVersion} ${name}, got ${shownKind(answer)}`);
}

/** The error for an answer that is not what was asked for. */
function answerError(
  { request, server }: Asked,
  expected: string,
  cause?: unknown,
): HomeostatError {
  return new HomeostatError(
    "ERR_CLIENT_ANSWER",
    `${request.method} ${request.path}${server ? ` at ${server}` : ""}: expected ${expected}`,
    {
      hint: "A proxy or load balancer answered in place of the API server: check the server's address and what is in between.",
      cause,
    },
  );
}

/** Checks a page of a list. */
export function checkListed(asked: Asked, kind: Kind, answer: Json): void {
  const mismatch = isObject(answer)
    ? listMismatch(kind, answer)
    : `a list of ${kind.apiVersion} ${kind.kind}, got ${JSON.stringify(answer)}`;
  if (mismatch) throw answerError(asked, mismatch);
}

/** The error for a list whose pages lead to each other. */
export function endlessList(asked: Asked): HomeostatError {
  return answerError(asked, "pages that end, got the same continue token twice");
}

/** Why a list is not one of this kind; undefined if it is. Its metadata may be all there is. */
export function listMismatch(
  { apiVersion, kind }: Kind,
  list: { readonly apiVersion?: unknown; readonly kind?: unknown },
): string | undefined {
  if (list.kind === undefined || list.kind === "PartialObjectMetadataList") return undefined;
  const isOfGroup = (list.apiVersion ?? apiVersion) === apiVersion;
  // A definition may name its list otherwise (listKind), and so may aggregated servers.
  const isNamedFreely = apiVersion.includes(".");
  const isList = list.kind === `${kind}List` || (isNamedFreely && `${list.kind}`.endsWith("List"));
  return isOfGroup && isList
    ? undefined
    : `a list of ${apiVersion} ${kind}, got ${shownKind(list)}`;
}

function shownKind(answer: { readonly apiVersion?: unknown; readonly kind?: unknown }): string {
  return `${answer.apiVersion ?? "no apiVersion"} ${answer.kind ?? "no kind"}`;
}
