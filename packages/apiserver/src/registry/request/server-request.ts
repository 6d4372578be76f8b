// One request on its way through the chain: what came in, and what has been found out about it so
// far.
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import type { ApiRequest } from "../../apimachinery/handler.ts";
import type { UserInfo } from "../../apimachinery/user-info.ts";
import { Query } from "./query.ts";
import { unescapeBytes } from "./unescape-bytes.ts";
import { readRequestInfo, type RequestInfo } from "./request-info.ts";
import { Warnings } from "./warnings.ts";

/** A request; `user` is set by authentication and replaced by impersonation. */
export interface ServerRequest {
  readonly api: ApiRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly warnings: Warnings;
  /** RFC 3339, second precision: the time of this request. */
  readonly now: string;
  readonly nowMs: number;
  user: UserInfo;
  /** Headers that name the request's flow; unknown until it is known who asks. */
  flow: Readonly<Record<string, string>> | undefined;
}

/** The caller before authentication has looked. */
export const nobody: UserInfo = { name: "", groups: [] };

/** Reads path and query. Throws for a path that cannot be unescaped. */
export function openRequest(api: ApiRequest, nowMs: number): ServerRequest {
  const mark = api.path.indexOf("?");
  const path = mark < 0 ? api.path : api.path.slice(0, mark);
  const query = new Query(mark < 0 ? "" : api.path.slice(mark + 1));
  const info = readRequestInfo(api.method, path.includes("%") ? unescapePath(path) : path, query);
  return new OpenedRequest(api, info, query, nowMs);
}

/** Reads need no time as text, so it is made when first asked for. */
class OpenedRequest implements ServerRequest {
  readonly api: ApiRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly warnings = new Warnings();
  readonly nowMs: number;
  user = nobody;
  flow: ServerRequest["flow"] = undefined;
  #now: string | undefined;

  constructor(api: ApiRequest, info: RequestInfo, query: Query, nowMs: number) {
    this.api = api;
    this.info = info;
    this.query = query;
    this.nowMs = nowMs;
  }

  get now(): string {
    return (this.#now ??= formatSeconds(this.nowMs));
  }
}

/** `2026-11-21T10:00:00Z`. */
export function formatSeconds(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function unescapePath(path: string): string {
  const plain = unescapeBytes(path);
  if (plain === undefined) throw internalError(`the path ${path} cannot be unescaped`);
  return plain;
}
