// A request on its way through the filters, with the attributes found so far.
import { internalError } from "../../apimachinery/errors/api-errors.ts";
import type { RequestAudit } from "../../apimachinery/audit.ts";
import type { ApiRequest } from "../../apimachinery/handler.ts";
import type { EmptiedMember } from "../../apimachinery/rest/version-codec.ts";
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
  /** Headers that name the request's flow; set after authentication. */
  flow: Readonly<Record<string, string>> | undefined;
  /** Undefined for a request that is not audited. */
  audit: RequestAudit | undefined;
  /** Set when the object in the body is decoded. */
  emptied: readonly EmptiedMember[] | undefined;
  /** The client has been told that the request timed out: it must not write any more. */
  isTimedOut: boolean;
}

/** The user before authentication. */
const unauthenticated: UserInfo = { name: "", groups: [] };

/** Reads path and query. Throws for a path that cannot be unescaped. */
export function openRequest(api: ApiRequest, nowMs: number): ServerRequest {
  const mark = api.path.indexOf("?");
  const path = mark < 0 ? api.path : api.path.slice(0, mark);
  const query = new Query(mark < 0 ? "" : api.path.slice(mark + 1));
  const info = readRequestInfo(api.method, path.includes("%") ? unescapePath(path) : path, query);
  return new OpenedRequest(api, info, query, nowMs);
}

/** Formats the time when first asked for: reads do not need it. */
class OpenedRequest implements ServerRequest {
  readonly api: ApiRequest;
  readonly info: RequestInfo;
  readonly query: Query;
  readonly warnings = new Warnings();
  readonly nowMs: number;
  user = unauthenticated;
  flow: ServerRequest["flow"] = undefined;
  audit: ServerRequest["audit"] = undefined;
  emptied: ServerRequest["emptied"] = undefined;
  isTimedOut = false;
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
