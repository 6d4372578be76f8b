// Posts to webhooks over HTTPS, or to a handler in this process. Connections are kept per webhook.
// Upstream: k8s.io/apiserver/pkg/util/webhook/client.go (hookClientConfig),
// k8s.io/client-go/rest/{request,with_retry}.go.
import type { X509Certificate } from "node:crypto";
import { Agent as HttpAgent, type OutgoingHttpHeaders, request as requestPlain } from "node:http";
import { Agent, type AgentOptions, request, type RequestOptions } from "node:https";
import { isIP } from "node:net";
import type { Clock } from "homeostat/runtime";
import { reasonOf } from "../apimachinery/errors/server-error.ts";
import { type Handler, readBody } from "../apimachinery/handler.ts";
import { inTime } from "../apimachinery/in-time.ts";
import { LruCache } from "../apimachinery/lru-cache.ts";
import { authoritiesFault, isSignedByNamesake } from "./certificate-fault.ts";
import { type Dialled, goNetError, isCertificateError } from "./go-net-error.ts";
import {
  address,
  headersOf,
  type Outgoing,
  postError,
  redirected,
  type Reply,
  serviceHost,
} from "./outgoing.ts";
import { peerCertificate } from "./peer-certificate.ts";
import { responseFault } from "./response-fault.ts";
import { retireAgent } from "./retire-agent.ts";
import {
  type ServiceLocation,
  type WebhookAccess,
  type WebhookClient,
  type WebhookClientConfig,
  type WebhookClientOptions,
  WebhookError,
} from "./webhook-client.ts";

/** Connections to one webhook; a list may convert many objects at once. */
const maxSockets = 100;
/** Upstream: defaultCacheSize. */
const maxWebhooks = 200;
/** Upstream: maxRetries of rest.Request, for responses with Retry-After. */
const maxRetries = 10;

/** The driver of one server. */
export function createWebhookDriver({ clock, resolve }: WebhookClientOptions): WebhookClient {
  const connections = createConnections();
  const sendTo = async (outgoing: Outgoing, at: Sending["at"]): Promise<Reply> => {
    try {
      return await send(outgoing, { clock, agent: connections.agentOf(outgoing), at });
    } catch (error) {
      if (!(error instanceof NamesakeError)) throw error;
      connections.trust(outgoing, error.certificate);
      return await send(outgoing, { clock, agent: connections.agentOf(outgoing), at });
    }
  };
  const attempt = async (outgoing: Outgoing): Promise<Reply> => {
    const { service } = outgoing.call.config;
    const at =
      service && outgoing.url.host === serviceHost(service)
        ? locate(outgoing, () => resolve(service.namespace, service.name, service.port ?? 443))
        : undefined;
    const late = (): Error => postError(outgoing, "context deadline exceeded");
    if (typeof at === "function")
      return await inTime(askHandler(at, outgoing), clock, { ms: leftMs(outgoing, clock), late });
    return await sendTo(outgoing, at);
  };
  const follow = async (outgoing: Outgoing): Promise<Reply> => {
    const reply = await attempt(outgoing);
    const next = redirected(outgoing, reply);
    return next ? await follow(next) : reply;
  };
  return {
    async post(call) {
      const outgoing = address(call, clock.monotonic());
      for (let tries = 0; ; tries++) {
        const reply = await follow(outgoing);
        if (reply.status >= 200 && reply.status <= 206) return bodyOf(reply);
        const waitMs = retryAfterMs(reply);
        if (waitMs === undefined || tries === maxRetries) throw faultOf(reply);
        if (!(await waits(clock, waitMs, outgoing)))
          throw postError(outgoing, "context deadline exceeded");
      }
    },
    close: () => connections.close(),
  };
}

/** The kept connections, by webhook. */
interface Connections {
  agentOf(outgoing: Outgoing): Agent | HttpAgent;
  /** Trusts a certificate beside the bundle of the webhook. */
  trust(outgoing: Outgoing, certificate: X509Certificate): void;
  close(): void;
}

/** Of the webhooks that were called last. */
function createConnections(): Connections {
  const agents = new LruCache<Agent | HttpAgent>(maxWebhooks, retireAgent);
  const replace = (outgoing: Outgoing, trusted?: X509Certificate): Agent | HttpAgent => {
    const agent = createAgent(outgoing, trusted);
    agents.set(keyOf(outgoing), agent);
    return agent;
  };
  return {
    agentOf: (outgoing) => agents.get(keyOf(outgoing)) ?? replace(outgoing),
    trust(outgoing, certificate) {
      const before = agents.get(keyOf(outgoing));
      replace(outgoing, certificate);
      if (before) retireAgent(before);
    },
    close() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

/** What tells the connections of webhooks apart. */
const keyOf = ({ call: { config, access }, url }: Outgoing): string =>
  JSON.stringify([url.protocol, config.url, config.service, config.caBundle, access]);

function createAgent({ call, url }: Outgoing, trusted?: X509Certificate): Agent | HttpAgent {
  const { config, access } = call;
  assertAuthorities(config);
  const options = { keepAlive: true, maxSockets };
  if (url.protocol === "http:") return new HttpAgent(options);
  const { ca, ...chain } = authorities(config);
  const bundle = trusted ? `${ca}\n${trusted.toString()}` : ca;
  return new Agent({
    ...options,
    ...chain,
    ...(bundle ? { ca: bundle } : {}),
    ...identityOf(access),
  });
}

/** A certificate was refused that the bundle does cover ({@link isSignedByNamesake}). */
class NamesakeError extends WebhookError {
  readonly certificate: X509Certificate;

  constructor(message: string, certificate: X509Certificate) {
    super(message);
    this.certificate = certificate;
  }
}

/** Resolves to false at the deadline. */
async function waits(clock: Clock, waitMs: number, outgoing: Outgoing): Promise<boolean> {
  const ms = leftMs(outgoing, clock);
  await new Promise<void>((done) => void clock.timer(Math.min(waitMs, ms), done));
  return waitMs < ms;
}

/** Rounded up: a timer that is early would end the call before the request that it is for. */
const leftMs = ({ deadlineMs }: Outgoing, clock: Clock): number =>
  Math.max(Math.ceil(deadlineMs - clock.monotonic()), 0);

/** A client with authorities that cannot be read is not made. */
function assertAuthorities({ caBundle }: WebhookClientConfig): void {
  const pem = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  const fault = pem ? authoritiesFault(pem) : undefined;
  if (fault !== undefined) throw new WebhookError(fault, undefined, "client");
}

function locate(outgoing: Outgoing, find: () => ServiceLocation): ServiceLocation {
  try {
    return find();
  } catch (error) {
    throw postError(outgoing, reasonOf(error));
  }
}

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
  const { method, url, call } = outgoing;
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const isPlain = url.protocol === "http:";
  const verified = call.access?.serverName ?? host;
  const target = at ?? { host, port: Number(url.port || (isPlain ? 80 : 443)) };
  const options: RequestOptions = {
    ...target,
    method,
    path: `${url.pathname}${url.search}`,
    headers: { ...repeated(headersOf(outgoing)), host: url.host },
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
        fail(callError(outgoing, dialled, error)),
      );
    };
    const timer = clock.timer(leftMs(outgoing, clock), () => {
      const late = "context deadline exceeded";
      fail(opened ? bodyError(late) : postError(outgoing, late));
      sent.destroy();
    });
    sent.on("error", stop);
    sent.end(method === "POST" ? call.body : undefined);
  });
}

/** Impersonation has several values for a name, which newlines separate. */
const repeated = (headers: Readonly<Record<string, string>>): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.startsWith("impersonate-") ? value.split("\n") : value,
    ]),
  );

function callError(
  outgoing: Outgoing,
  dialled: Dialled,
  error: Error & { readonly code?: string },
): WebhookError {
  const fault = postError(outgoing, goNetError(error, dialled));
  const { refused } = dialled;
  return refused && isSignedByNamesake({ ...refused, code: error.code ?? "" })
    ? new NamesakeError(fault.message, refused.certificate)
    : fault;
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

async function askHandler(handler: Handler, outgoing: Outgoing): Promise<Reply> {
  const { method, url, call } = outgoing;
  const body = method === "POST" ? new TextEncoder().encode(call.body) : new Uint8Array();
  const path = `${url.pathname}${url.search}`;
  try {
    const answer = await handler({ method, path, headers: headersOf(outgoing), body });
    if (answer.cut) throw answer.cut;
    return { ...answer, body: await readBody(answer.body) };
  } catch {
    throw postError(outgoing, "EOF");
  }
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
