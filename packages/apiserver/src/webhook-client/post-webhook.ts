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
  /** As messages name it, e.g. `https://hook.shop.svc:443/convert?timeout=30s`. */
  readonly url: URL;
  readonly shown: string;
  readonly call: WebhookCall;
  readonly waitMs: number;
}

const defaultTimeoutMs = 30_000;
/** Connections to one webhook; a list may convert many objects at once. */
const maxSockets = 100;
/** Upstream: maxRetries of rest.Request, for responses with Retry-After. */
const maxRetries = 10;

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
      const outgoing = address(call);
      for (let tries = 0; ; tries++) {
        const reply = await attempt(outgoing);
        if (reply.status >= 200 && reply.status <= 206) return bodyOf(reply);
        const waitMs = retryAfterMs(reply);
        if (waitMs === undefined || tries === maxRetries) throw faultOf(reply);
        await new Promise<void>((done) => void clock.timer(waitMs, done));
      }
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
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
  return { url, shown, call, waitMs: Math.min(timeoutMs, call.waitMs ?? timeoutMs) };
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

const headersOf = (body: string): Record<string, string> => ({
  accept: "application/json, */*",
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
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
  const { url, call, waitMs } = outgoing;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const target = at ?? { host, port: Number(url.port || 443) };
  const options: RequestOptions = {
    ...target,
    method: "POST",
    path: `${url.pathname}${url.search}`,
    headers: { ...headersOf(call.body), host: url.host },
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
    const timer = clock.timer(waitMs, () => {
      const late = "context deadline exceeded";
      fail(opened ? bodyError(late) : postError(outgoing, late));
      sent.destroy();
    });
    sent.on("error", stop);
    sent.end(call.body);
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
  const { url, call, waitMs } = outgoing;
  const body = new TextEncoder().encode(call.body);
  return await new Promise<Reply>((done, fail) => {
    const timer = clock.timer(waitMs, () => fail(postError(outgoing, "context deadline exceeded")));
    const path = `${url.pathname}${url.search}`;
    void handler({ method: "POST", path, headers: headersOf(call.body), body }).then(
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
