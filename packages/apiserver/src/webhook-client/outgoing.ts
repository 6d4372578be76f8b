// What a call of a webhook sends and where to, redirections included. Pure.
// Upstream: k8s.io/apiserver/pkg/util/webhook/client.go (hookClientConfig); Go: net/http/client.go.
import { posix } from "node:path";
import { formatGoDuration } from "../apimachinery/values/go-duration.ts";
import { type WebhookCall, type WebhookClientConfig, WebhookError } from "./webhook-client.ts";

/** A response that has been read. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** What is sent, and where to. */
export interface Outgoing {
  /** GET after some redirects; it has no body. */
  readonly method: "POST" | "GET";
  /** As messages name it, e.g. `https://hook.shop.svc:443/convert?timeout=30s`. */
  readonly url: URL;
  readonly shown: string;
  readonly call: WebhookCall;
  /** By the monotonic clock; all attempts and redirects share it. */
  readonly deadlineMs: number;
  /** How many redirects have led here. */
  readonly redirects: number;
}

const defaultTimeoutMs = 30_000;

/**
 * What is sent first, at `nowMs`. The path of a URL is kept, without a slash at its end; its query
 * is not.
 */
export function address(call: WebhookCall, nowMs: number): Outgoing {
  const { url: text, service } = call.config;
  const timeoutMs = call.timeoutMs ?? defaultTimeoutMs;
  if (!service && !text)
    throw new WebhookError("webhook configuration must have either service or URL");
  const url = new URL(
    service ? `https://${service.name}.${service.namespace}.svc:${service.port ?? 443}` : text!,
  );
  if (service?.path) url.pathname = service.path;
  url.pathname = posix.join("/", url.pathname).replace(/(.)\/$/, "$1");
  url.search = `?timeout=${formatGoDuration(BigInt(Math.round(timeoutMs * 1e6)))}`;
  url.hash = "";
  const host = service
    ? `${url.hostname}:${service.port ?? 443}`
    : /^\w+:\/\/([^/?#]*)/.exec(text!)![1]!;
  const shown = `${url.protocol}//${host}${url.pathname}${url.search}`;
  return {
    method: "POST",
    url,
    shown,
    call,
    deadlineMs: nowMs + Math.min(timeoutMs, call.waitMs ?? timeoutMs),
    redirects: 0,
  };
}

/** Redirects carry credentials along to any host, as upstream's round trippers add them again. */
export const headersOf = ({
  method,
  call: { body, access },
}: Outgoing): Record<string, string> => ({
  accept: "application/json, */*",
  ...(method === "POST"
    ? {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }
    : {}),
  "user-agent": "kube-apiserver-admission",
  ...access?.headers,
});

/** As `URL.host` has it: without the port of HTTPS. */
export const serviceHost = ({
  name,
  namespace,
  port = 443,
}: NonNullable<WebhookClientConfig["service"]>): string =>
  `${name}.${namespace}.svc${port === 443 ? "" : `:${port}`}`;

const redirections: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const maxRedirects = 10;

/**
 * Where a reply redirects to, as Go's client follows it: with the same method and body for 307 and
 * 308, else with GET.
 */
export function redirected(outgoing: Outgoing, { status, headers }: Reply): Outgoing | undefined {
  const { location } = headers;
  if (!redirections.has(status) || typeof location !== "string" || !location) return undefined;
  if (!URL.canParse(location, outgoing.url.href))
    throw postError(outgoing, `failed to parse Location header ${JSON.stringify(location)}`);
  if (outgoing.redirects === maxRedirects - 1)
    throw postError(outgoing, `stopped after ${maxRedirects} redirects`);
  const url = new URL(location, outgoing.url.href);
  const method = status === 307 || status === 308 ? outgoing.method : "GET";
  return { ...outgoing, method, url, shown: url.href, redirects: outgoing.redirects + 1 };
}

/** A call that failed before it was answered. */
export const postError = ({ shown }: Outgoing, why: string): WebhookError =>
  new WebhookError(`Post ${JSON.stringify(shown)}: ${why}`);
