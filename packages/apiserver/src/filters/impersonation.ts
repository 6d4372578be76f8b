// Impersonate-* headers: the request continues as another user if the caller may impersonate it in
// one of the impersonation modes.
// Upstream: k8s.io/apiserver/pkg/endpoints/filters/impersonation/constrained_impersonation.go.
import type { ApiStatusError } from "homeostat/api";
import { badRequestError } from "../apimachinery/errors/api-errors.ts";
import { quoteGo } from "../apimachinery/errors/field-error.ts";
import type { Authorizer } from "../apimachinery/authorizer.ts";
import { LruCache } from "../apimachinery/lru-cache.ts";
import type { UserInfo } from "../apimachinery/user-info.ts";
import type { ServerRequest } from "../registry/request/server-request.ts";
import {
  type Impersonated,
  impersonationModes,
  type ImpersonationAttempt,
} from "./impersonation-modes.ts";

const extraPrefix = "impersonate-extra-";
/** Callers whose last mode is remembered. */
const rememberedCallers = 10_000;

/** Replaces the request's user by the impersonated one. Throws 400 and 403. */
export type Impersonate = (request: ServerRequest) => void;

/** The filter of one server. */
export function createImpersonation(authorizer: Authorizer): Impersonate {
  const lastModes = new LruCache<number>(rememberedCallers);
  return (request) => {
    const wanted = readHeaders(request.api.headers);
    if (!wanted) return;
    const { user: caller, info } = request;
    const { user, constraint } = impersonateBy(lastModes, { caller, wanted, info, authorizer });
    request.audit?.impersonate(user, constraint);
    request.user = user;
  };
}

/**
 * Tries the mode that the caller used last, then the others; the first refusal counts. A user who
 * needs the oldest mode, the last one, thus pays for the others once.
 */
function impersonateBy(lastModes: LruCache<number>, attempt: ImpersonationAttempt): Impersonated {
  const { name } = attempt.caller;
  const last = lastModes.get(name);
  const order = [...impersonationModes.keys()].filter((at) => at !== last);
  let refused: ApiStatusError | undefined;
  for (const at of last === undefined ? order : [last, ...order]) {
    const result = impersonationModes[at]!(attempt);
    if (result === undefined) continue;
    if (!("refusal" in result)) {
      lastModes.set(name, at);
      return result;
    }
    refused ??= result.refusal;
  }
  throw refused ?? new Error("all impersonation modes failed");
}

/** The user that the headers describe; undefined without such headers. */
function readHeaders(headers: Readonly<Record<string, string>>): UserInfo | undefined {
  const name = firstOf(headers["impersonate-user"]);
  const uid = firstOf(headers["impersonate-uid"]);
  const groups = headers["impersonate-group"]?.split("\n");
  const extra = readExtra(headers);
  const wanted: UserInfo = {
    name,
    groups: groups ?? [],
    ...(uid ? { uid } : {}),
    ...(extra ? { extra } : {}),
  };
  if (name) return wanted;
  if (!uid && !groups && !extra) return undefined;
  throw badRequestError(`requested ${formatGo(wanted)} without impersonating a user name`);
}

/** As Go reads a header that has several values. */
const firstOf = (header = ""): string => header.split("\n", 1)[0]!;

function readExtra(headers: Readonly<Record<string, string>>): UserInfo["extra"] {
  let extra: Record<string, readonly string[]> | undefined;
  for (const header in headers)
    if (header.startsWith(extraPrefix))
      (extra ??= {})[unescape(header.slice(extraPrefix.length))] = headers[header]!.split("\n");
  return extra;
}

function unescape(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Go's %#v of the requested user. */
function formatGo({ name, uid = "", groups, extra }: UserInfo): string {
  const list = (texts: readonly string[]): string =>
    texts.length ? `[]string{${texts.map(quoteGo).join(", ")}}` : "[]string(nil)";
  const entries = Object.entries(extra ?? {}).map(
    ([key, texts]) => `${quoteGo(key)}:[]string{${texts.map(quoteGo).join(", ")}}`,
  );
  const map = entries.length ? `{${entries.join(", ")}}` : "(nil)";
  return `&user.DefaultInfo{Name:${quoteGo(name)}, UID:${quoteGo(uid)}, Groups:${list(groups)}, Extra:map[string][]string${map}}`;
}
