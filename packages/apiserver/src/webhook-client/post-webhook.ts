// Posts to webhooks over HTTPS, or to a handler in this process. Connections are kept per webhook.
// Upstream: k8s.io/apiserver/pkg/util/webhook/client.go (hookClientConfig),
// k8s.io/client-go/rest/{request,with_retry}.go.
import { Agent as HttpAgent, request as requestPlain } from "node:http";
import { Agent, type AgentOptions, request, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import { posix } from "node:path";
import type { Clock } from "homeostat/runtime";
import { type Handler, isStream } from "../apimachinery/handler.ts";
import { formatGoDuration } from "../apimachinery/values/go-duration.ts";
import { authoritiesFault } from "./certificate-fault.ts";
import { type Dialled, goNetError, isCertificateError } from "./go-net-error.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { responseFault } from "./response-fault.ts";
import {
  type ServiceLocation,
  type WebhookAccess,
  type WebhookCall,
  type WebhookClient,
  type WebhookClientConfig,
  type WebhookClientOptions,
  WebhookError,
} from "./webhook-client.ts";

/** A response that has been read. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
}

/** What is sent, and where to. */
interface Outgoing {
  /** GET after some redirects; it has no body. */
  readonly method: "POST" | "GET";
  /** As messages name it, e.g. `https://hook.shop.svc:443/convert?timeout=30s`. */
  readonly url: URL;
  readonly shown: string;
  readonly call: WebhookCall;
  readonly timeoutMs: number;
  /** How many redirects have led here. */
  readonly redirects: number;
}

const defaultTimeoutMs = 30_000;
/** Connections to one webhook; a list may convert many objects at once. */
const maxSockets = 100;
/** Upstream: maxRetries of rest.Request, for responses with Retry-After. */
const maxRetries = 10;

/** The driver of one server. */
export function createWebhookDriver({ clock, resolve }: WebhookClientOptions): WebhookClient {
  const agents = new Map<string, Agent | HttpAgent>();
  const agentOf = ({ call: { config, access }, url }: Outgoing): Agent | HttpAgent => {
    const { protocol } = url;
    const key = JSON.stringify([protocol, config.url, config.service, config.caBundle, access]);
    let agent = agents.get(key);
    if (agent) return agent;
    assertAuthorities(config);
    const options = { keepAlive: true, maxSockets };
    agent =
      protocol === "http:"
        ? new HttpAgent(options)
        : new Agent({ ...options, ...authorities(config), ...identityOf(access) });
    agents.set(key, agent);
    return agent;
  };
  const attempt = async (outgoing: Outgoing): Promise<Reply> => {
    const { service } = outgoing.call.config;
    const at =
      service && outgoing.url.host === serviceHost(service)
        ? locate(outgoing, () => resolve(service.namespace, service.name, service.port ?? 443))
        : undefined;
    if (typeof at === "function") return await callHandler(at, outgoing, clock);
    return await send(outgoing, { clock, agent: agentOf(outgoing), at });
  };
  const follow = async (outgoing: Outgoing): Promise<Reply> => {
    const reply = await attempt(outgoing);
    const next = redirected(outgoing, reply);
    return next ? await follow(next) : reply;
  };
  return {
    async post(call) {
      const outgoing = address(call);
      const deadlineMs = clock.now() + outgoing.timeoutMs;
      for (let tries = 0; ; tries++) {
        const leftMs = deadlineMs - clock.now();
        const reply = await follow({ ...outgoing, timeoutMs: leftMs });
        if (reply.status >= 200 && reply.status <= 206) return bodyOf(reply);
        const waitMs = retryAfterMs(reply);
        if (waitMs === undefined || tries === maxRetries) throw faultOf(reply);
        if (!(await waits(clock, waitMs, deadlineMs)))
          throw postError(outgoing, "context deadline exceeded");
      }
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Resolves to false at the deadline. */
async function waits(clock: Clock, waitMs: number, deadlineMs: number): Promise<boolean> {
  const leftMs = Math.max(deadlineMs - clock.now(), 0);
  await new Promise<void>((done) => void clock.timer(Math.min(waitMs, leftMs), done));
  return waitMs < leftMs;
}

/** A client with authorities that cannot be read is not made. */
function assertAuthorities({ caBundle }: WebhookClientConfig): void {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  const fault = pem ? authoritiesFault(pem) : undefined;
  if (fault !== undefined) throw new WebhookError(fault, undefined, "client");
}

/** The path of a URL is kept, without a slash at its end; its query is not. */
function address(call: WebhookCall): Outgoing {
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
  const waitMs = Math.min(timeoutMs, call.waitMs ?? timeoutMs);
  return { method: "POST", url, shown, call, timeoutMs: waitMs, redirects: 0 };
}

/** As `URL.host` has it: without the port of HTTPS. */
const serviceHost = ({
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
function redirected(outgoing: Outgoing, { status, headers }: Reply): Outgoing | undefined {
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

function locate(outgoing: Outgoing, find: () => ServiceLocation): ServiceLocation {
  try {
    return find();
  } catch (error) {
    throw postError(outgoing, error instanceof Error ? error.message : String(error));
  }
}

const postError = ({ shown }: Outgoing, why: string): WebhookError =>
  new WebhookError(`Post ${JSON.stringify(shown)}: ${why}`);

/** As in Go, any certificate of a bundle is trusted, that of the webhook itself included. */
const authorities = ({
  caBundle,
}: WebhookClientConfig): { ca?: string; allowPartialTrustChain?: boolean } => {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  return pem.trim() ? { ca: pem, allowPartialTrustChain: true } : {};
};

/** What proves who calls, and what is not verified. */
const identityOf = ({
  certificate,
  key,
  skipsVerification = false,
}: WebhookAccess = {}): AgentOptions => ({
  ...(certificate && key ? { cert: certificate, key } : {}),
  ...(skipsVerification ? { rejectUnauthorized: false } : {}),
});

const headersOf = ({ method, call: { body, access } }: Outgoing): Record<string, string> => ({
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

interface Sending {
  readonly clock: Clock;
  readonly agent: Agent | HttpAgent;
  readonly at: { readonly host: string; readonly port: number } | undefined;
}

/** A kept connection that the webhook has closed meanwhile is replaced once. */
async function send(outgoing: Outgoing, sending: Sending): Promise<Reply> {
  const closed = { reused: false };
  try {
    return await sendOnce(outgoing, sending, closed);
  } catch (error) {
    if (!closed.reused) throw error;
    return await sendOnce(outgoing, sending, closed);
  }
}

async function sendOnce(
  outgoing: Outgoing,
  { clock, agent, at }: Sending,
  closed: { reused: boolean },
): Promise<Reply> {
  const { method, url, call, timeoutMs } = outgoing;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isPlain = url.protocol === "http:";
  const verified = call.access?.serverName ?? host;
  const target = at ?? { host, port: Number(url.port || (isPlain ? 80 : 443)) };
  const options: RequestOptions = {
    ...target,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headersOf(outgoing), host: url.host },
    agent,
    ...(isPlain ? {} : { servername: isIP(verified) ? "" : verified }),
  };
  return await new Promise<Reply>((done, fail) => {
    let opened = false;
    const sent = (isPlain ? requestPlain : request)(options, (response) => {
      const chunks: Buffer[] = [];
      opened = true;
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", () => {
        timer.cancel();
        fail(bodyError("unexpected EOF"));
      });
      response.on("end", () => {
        timer.cancel();
        const { statusCode: status = 0, headers } = response;
        done({ status, headers, body: Buffer.concat(chunks) });
      });
    });
    const stop = (error: Error & { readonly code?: string }): void => {
      timer.cancel();
      closed.reused = sent.reusedSocket && error.code === "ECONNRESET";
      void dialledBy(outgoing, { target, host: verified }, error, clock.now()).then((dialled) =>
        fail(postError(outgoing, goNetError(error, dialled))),
      );
    };
    const timer = clock.timer(timeoutMs, () => {
      const late = "context deadline exceeded";
      fail(opened ? bodyError(late) : postError(outgoing, late));
      sent.destroy();
    });
    sent.on("error", stop);
    sent.end(method === "POST" ? call.body : undefined);
  });
}

const bodyError = (why: string): WebhookError =>
  new WebhookError(
    `unexpected error when reading response body. Please retry. Original error: ${why}`,
  );

/** Completes what was dialled by the certificate that was refused. */
async function dialledBy(
  { call }: Outgoing,
  dialled: Dialled,
  error: { readonly code?: string },
  nowMs: number,
): Promise<Dialled> {
  if (!isCertificateError(error)) return dialled;
  const { target, host } = dialled;
  const certificate = await peerCertificate(target, isIP(host) ? "" : host);
  if (!certificate) return dialled;
  return { ...dialled, refused: { certificate, authorities: authorities(call.config).ca, nowMs } };
}

async function callHandler(handler: Handler, outgoing: Outgoing, clock: Clock): Promise<Reply> {
  const { method, url, call, timeoutMs } = outgoing;
  const body = method === "POST" ? new TextEncoder().encode(call.body) : new Uint8Array();
  return await new Promise<Reply>((done, fail) => {
    const timer = clock.timer(timeoutMs, () =>
      fail(postError(outgoing, "context deadline exceeded")),
    );
    const path = `${url.pathname}${url.search}`;
    void handler({ method, path, headers: headersOf(outgoing), body }).then(
      ({ status, headers, body: answer }) => {
        timer.cancel();
        done({ status, headers, body: isStream(answer) ? new Uint8Array() : answer });
      },
      () => {
        timer.cancel();
        fail(postError(outgoing, "EOF"));
      },
    );
  });
}

function bodyOf({ status, headers, body }: Reply): Uint8Array {
  if (body.length) return body;
  const type = String(headers["content-type"] ?? "application/json");
  throw new WebhookError(`0-length response with status code: ${status} and content type: ${type}`);
}

/** Only 429 and 5xx with a number of seconds are tried again. */
function retryAfterMs({ status, headers }: Reply): number | undefined {
  const seconds = headers["retry-after"];
  if (status !== 429 && status < 500) return undefined;
  return typeof seconds === "string" && /^\d+$/.test(seconds) ? Number(seconds) * 1000 : undefined;
}

function faultOf({ status, headers, body }: Reply): WebhookError {
  const fault = responseFault(status, String(headers["content-type"] ?? ""), body);
  return new WebhookError(fault.message ?? "", fault);
}
