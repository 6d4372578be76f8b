// Posts to webhooks over HTTPS, or to a handler in this process. Connections are kept per webhook.
// Upstream: k8s.io/apiserver/pkg/util/webhook/client.go (hookClientConfig),
// k8s.io/client-go/rest/{request,with_retry}.go.
import { Agent, request, type RequestOptions } from "node:https";
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
  /** GET after a redirection that says so. */
  readonly method: "POST" | "GET";
  readonly url: URL;
  /** As messages name it, e.g. `https://hook.shop.svc:443/convert?timeout=30s`. */
  readonly shown: string;
  readonly call: WebhookCall;
  /** When the time for all attempts is over. */
  readonly deadlineMs: number;
}

const defaultTimeoutMs = 30_000;
/** Connections to one webhook; a list may convert many objects at once. */
const maxSockets = 100;
/** Upstream: maxRetries of rest.Request, for responses with Retry-After. */
const maxRetries = 10;
/** Of Go's net/http Client. */
const maxRedirects = 10;

/** The driver of one server. */
export function createWebhookDriver({ clock, resolve }: WebhookClientOptions): WebhookClient {
  const agents = new Map<string, Agent>();
  const agentOf = (config: WebhookClientConfig): Agent => {
    const key = JSON.stringify([config.url, config.service, config.caBundle]);
    let agent = agents.get(key);
    if (agent) return agent;
    assertAuthorities(config);
    agents.set(key, (agent = new Agent({ keepAlive: true, maxSockets, ...authorities(config) })));
    return agent;
  };
  const attempt = async (outgoing: Outgoing): Promise<Reply> => {
    const { config } = outgoing.call;
    const { service } = config;
    const at =
      service &&
      locate(outgoing, () => resolve(service.namespace, service.name, service.port ?? 443));
    if (typeof at === "function") return await callHandler(at, outgoing, clock);
    return await send(outgoing, { clock, agent: agentOf(config), at });
  };
  return {
    async post(call) {
      const outgoing = address(call, clock.now());
      for (let tries = 0; ; tries++) {
        const reply = await follow(outgoing, attempt);
        if (reply.status >= 200 && reply.status <= 206) return bodyOf(reply);
        const waitMs = retryAfterMs(reply);
        if (waitMs === undefined || tries === maxRetries) throw faultOf(reply);
        const leftMs = outgoing.deadlineMs - clock.now();
        await new Promise<void>((done) => void clock.timer(Math.min(waitMs, leftMs), done));
        if (waitMs >= leftMs) throw postError(outgoing, late);
      }
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** Follows redirections. Upstream: net/http/client.go (redirectBehavior). */
async function follow(
  first: Outgoing,
  attempt: (outgoing: Outgoing) => Promise<Reply>,
): Promise<Reply> {
  let outgoing = first;
  for (let hops = 0; ; hops++) {
    const reply = await attempt(outgoing);
    const to = redirection(outgoing, reply);
    if (!to) return reply;
    if (hops === maxRedirects - 1) throw postError(to, `stopped after ${maxRedirects} redirects`);
    outgoing = to;
  }
}

/** A redirection of a Service may lead to its own host only. */
function redirection(outgoing: Outgoing, { status, headers }: Reply): Outgoing | undefined {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== "string") return undefined;
  const url = URL.parse(location, outgoing.url.href);
  const isReachable =
    url?.protocol === "https:" && (!outgoing.call.config.service || url.host === outgoing.url.host);
  if (!isReachable) return undefined;
  return { ...outgoing, url, shown: url.href, method: status >= 307 ? outgoing.method : "GET" };
}

/** A client with authorities that cannot be read is not made. */
function assertAuthorities({ caBundle }: WebhookClientConfig): void {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  const fault = pem ? authoritiesFault(pem) : undefined;
  if (fault !== undefined) throw new WebhookError(fault, undefined, "client");
}

/** The path of a URL is kept, without a slash at its end; its query is not. */
function address(call: WebhookCall, nowMs: number): Outgoing {
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
  return { method: "POST", url, shown, call, deadlineMs: nowMs + timeoutMs };
}

function locate(outgoing: Outgoing, find: () => ServiceLocation): ServiceLocation {
  try {
    return find();
  } catch (error) {
    throw postError(outgoing, error instanceof Error ? error.message : String(error));
  }
}

const late = "context deadline exceeded";

const postError = ({ shown }: Outgoing, why: string): WebhookError =>
  new WebhookError(`Post ${JSON.stringify(shown)}: ${why}`);

/** As in Go, any certificate of a bundle is trusted, that of the webhook itself included. */
const authorities = ({
  caBundle,
}: WebhookClientConfig): { ca?: string; allowPartialTrustChain?: boolean } => {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  return pem.trim() ? { ca: pem, allowPartialTrustChain: true } : {};
};

const headersOf = ({ method, call: { body } }: Outgoing): Record<string, string> => ({
  accept: "application/json, */*",
  ...(method === "GET"
    ? {}
    : {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(body)),
      }),
  "user-agent": "kube-apiserver-admission",
});

interface Sending {
  readonly clock: Clock;
  readonly agent: Agent;
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
  const { url, call, method, deadlineMs } = outgoing;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const target = at ?? { host, port: Number(url.port || 443) };
  const options: RequestOptions = {
    ...target,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...headersOf(outgoing), host: url.host },
    agent,
    servername: isIP(host) ? "" : host,
  };
  return await new Promise<Reply>((done, fail) => {
    let opened = false;
    const sent = request(options, (response) => {
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
      void dialledBy(outgoing, { target, host }, error, clock.now()).then((dialled) =>
        fail(postError(outgoing, goNetError(error, dialled))),
      );
    };
    const timer = clock.timer(Math.max(deadlineMs - clock.now(), 0), () => {
      fail(opened ? bodyError(late) : postError(outgoing, late));
      sent.destroy();
    });
    sent.on("error", stop);
    sent.end(method === "GET" ? undefined : call.body);
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
  const { url, call, method, deadlineMs } = outgoing;
  const body = new TextEncoder().encode(method === "GET" ? "" : call.body);
  return await new Promise<Reply>((done, fail) => {
    const leftMs = Math.max(deadlineMs - clock.now(), 0);
    const timer = clock.timer(leftMs, () => fail(postError(outgoing, late)));
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
