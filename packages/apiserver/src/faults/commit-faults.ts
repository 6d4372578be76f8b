// The filter that commits faults: around everything that comes after authentication.
import { connectionLost } from "homeostat/api";
import type { Clock } from "homeostat/runtime";
import { failure, invalidError, optimisticLockError } from "../apimachinery/errors/api-errors.ts";
import { type ApiResponse, isStream } from "../apimachinery/handler.ts";
import * as fieldError from "../apimachinery/errors/field-error.ts";
import { openRequest, type ServerRequest } from "../registry/request/server-request.ts";
import type { RequestEffect } from "./fault.ts";
import { effectOf, type Entry, type FaultTable } from "./fault-table.ts";
import { faultyStream } from "./faulty-stream.ts";
import type { Faultable } from "./match-request.ts";

/** Serves a request with the faults that hit it. */
export type FaultFilter = (
  request: ServerRequest,
  serve: (request: ServerRequest) => Promise<ApiResponse>,
) => Promise<ApiResponse>;

export function createFaultFilter(table: FaultTable, clock: Clock): FaultFilter {
  return async (request, serve) => {
    const seen = faultableOf(request);
    const hit = table.request(seen, request.query.all("dryRun") !== undefined);
    let served = request;
    for (const entry of hit) {
      await before(entry, request, clock);
      served = staleOf(entry, served);
    }
    const outcome = await serve(served).then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    );
    request.flow = served.flow;
    for (const entry of hit) {
      const effect = effectOf(entry);
      if (effect.type === "delay" && effect.of === "answer") await wait(entry, effect.ms, clock);
      if (effect.type !== "withhold") continue;
      if (effect.then === "hang") await hang(entry, request);
      return cutConnection(request);
    }
    if ("error" in outcome) throw outcome.error;
    const { answer } = outcome;
    const { body, status } = answer;
    // What an upgraded connection carries are no events.
    if (!isStream(body) || request.info.verb !== "watch" || status === 101) return answer;
    return { ...answer, body: faultyStream(body, seen, table) };
  };
}

/** What the client sees is a connection that breaks. */
function cutConnection({ api }: ServerRequest): ApiResponse {
  const why = "a fault withholds the answer";
  const cut = connectionLost(api, { server: "the server in this process", why });
  return { status: 0, headers: {}, body: new Uint8Array(), cut };
}

/** Waits, or throws the fault's error. */
async function before(entry: Entry, request: ServerRequest, clock: Clock): Promise<void> {
  const effect = effectOf(entry);
  if (effect.type === "delay" && effect.of !== "answer") await wait(entry, effect.ms, clock);
  if (effect.type === "error") throw errorOf(effect, request);
}

/** Until the fault is removed. What waits is not kept beyond its time. */
function wait(entry: Entry, ms: number, clock: Clock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.timer(ms, resolve);
  const forget = entry.whenRemoved(resolve);
  return promise.finally(() => {
    timer.cancel();
    forget();
  });
}

/** Until the fault is removed, or the client has left. */
function hang(entry: Entry, { api }: ServerRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  void api.closed?.then(resolve);
  return promise.finally(entry.whenRemoved(resolve));
}

/** Reasons of a server's answers; upstream: NewGenericServerResponse in api/errors/errors.go. */
const reasons: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Expired",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function errorOf(
  { code, message, retryAfterSeconds }: Extract<RequestEffect, { type: "error" }>,
  { info }: ServerRequest,
): Error {
  const { group, resource, name } = info;
  if (code === 409 && message === undefined) return optimisticLockError({ group, resource }, name);
  return failure(code, reasons[code] ?? "", message ?? `a fault was asked for: ${code}`, {
    ...(name ? { name } : {}),
    ...(group ? { group } : {}),
    ...(resource ? { kind: resource } : {}),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
}

/** The request for an older list, where the client asks for the newest or for any. */
function staleOf(entry: Entry, request: ServerRequest): ServerRequest {
  const effect = effectOf(entry);
  const { api, info, query } = request;
  if (effect.type !== "stale") return request;
  if (info.verb === "watch" && query.flag("sendInitialEvents")) throw listInstead();
  if (info.verb !== "list" || query.text("continue") !== "") return request;
  const parameters = new URLSearchParams(query.raw);
  parameters.set("resourceVersion", effect.resourceVersion ?? String(entry.addedAt));
  parameters.set("resourceVersionMatch", "Exact");
  const path = `${api.path.split("?", 1)[0]}?${parameters.toString()}`;
  const older = openRequest({ ...api, path }, request.nowMs);
  older.user = request.user;
  older.flow = request.flow;
  older.audit = request.audit;
  return older;
}

/** As a server without the feature WatchList. Upstream: validation of ListOptions. */
const listInstead = (): Error =>
  invalidError({ group: "meta.k8s.io", kind: "ListOptions" }, "", [
    fieldError.forbidden(
      "sendInitialEvents",
      "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled",
    ),
  ]);

function faultableOf({ api, user, info }: ServerRequest): Faultable {
  const { remoteAddress = "", remotePort = "" } = api.peer ?? {};
  return {
    user: user.name,
    userAgent: api.headers["user-agent"] ?? "",
    connection: `${remoteAddress}:${remotePort}`,
    info,
  };
}
