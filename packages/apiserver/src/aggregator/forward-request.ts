// Forwards requests over HTTPS with the front proxy's certificate; responses are passed on as they
// come.
// Upstream: k8s.io/apimachinery/pkg/util/proxy/{upgradeaware,transport}.go.
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { isIP } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "homeostat/runtime";
import type { ApiResponse, ByteStream } from "../apimachinery/handler.ts";
import { headerText, toHeaderBytes } from "../apimachinery/header-text.ts";
import { LruCache } from "../apimachinery/lru-cache.ts";
import { goNetError } from "../webhook-client/go-net-error.ts";
import { retireAgent } from "../webhook-client/retire-agent.ts";
import type { ForwardedRequest, Forwarder, ForwarderOptions, ForwardTarget } from "./forwarder.ts";

/** Headers of one connection, and those that the sender of the response sets. */
const hopByHop = new Set(
  "connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);

/** Servers whose connections are kept, those that were called last; a new bundle makes another. */
const maxServers = 200;

/** The driver of one server. */
export function createForwardDriver({ clock, certificate }: ForwarderOptions): Forwarder {
  const agents = new LruCache<Promise<Agent>>(maxServers, (agent) => onceMade(agent, retireAgent));
  const agentOf = (target: ForwardTarget): Promise<Agent> => {
    const key = JSON.stringify([target.serverName, target.caBundle, target.insecureSkipTLSVerify]);
    const known = agents.get(key);
    if (known) return known;
    const agent = createAgent(target, certificate);
    agents.set(key, agent);
    // The certificate may be issued at the next request.
    agent.catch(() => agents.delete(key));
    return agent;
  };
  return {
    send: async (target, sent) => await sendBy(await agentOf(target), target, sent, clock),
    close() {
      for (const agent of agents.values()) onceMade(agent, (each) => each.destroy());
      agents.clear();
    },
  };
}

/** An agent that cannot be made has no connections. */
const onceMade = (agent: Promise<Agent>, act: (agent: Agent) => void): void =>
  void agent.then(act, () => undefined);

async function sendBy(
  agent: Agent,
  target: ForwardTarget,
  sent: ForwardedRequest,
  clock: Clock,
): Promise<ApiResponse> {
  return await new Promise<ApiResponse>((done, fail) => {
    const { host, port, serverName } = target;
    const outgoing = request({
      host,
      port,
      agent,
      method: sent.method,
      path: sent.path,
      headers: headersOf(sent),
      servername: isIP(serverName) ? "" : serverName,
    });
    const timer =
      sent.timeoutMs === undefined
        ? undefined
        : clock.timer(sent.timeoutMs, () => {
            fail(new Error("context deadline exceeded"));
            outgoing.destroy();
          });
    void sent.closed?.then(() => outgoing.destroy());
    outgoing.on("response", (response) => {
      response.on("close", () => timer?.cancel());
      void toResponse(response).then(done, fail);
    });
    outgoing.on("upgrade", (response, socket, head) => {
      timer?.cancel();
      socket.on("error", () => socket.destroy());
      if (!sent.upgrade) {
        socket.destroy();
        return fail(new Error(unasked(response)));
      }
      done({ status: 101, headers: plainHeaders(response), body: tunnelOf(socket, head) });
    });
    outgoing.on("error", (error) => {
      timer?.cancel();
      fail(new Error(goNetError(error, { target, host: serverName })));
    });
    outgoing.end(sent.body);
  });
}

async function createAgent(
  { caBundle, insecureSkipTLSVerify }: ForwardTarget,
  certificate: ForwarderOptions["certificate"],
): Promise<Agent> {
  const { cert, key } = (await certificate?.()) ?? {};
  const ca = Buffer.from(caBundle ?? "", "base64").toString("utf8");
  return new Agent({
    keepAlive: true,
    ...(ca.trim() ? { ca } : {}),
    ...(insecureSkipTLSVerify ? { rejectUnauthorized: false } : {}),
    ...(cert && key ? { cert, key } : {}),
  });
}

function headersOf({
  headers,
  body,
  upgrade,
}: ForwardedRequest): Record<string, string | string[]> {
  const out: Record<string, string | string[]> = {};
  const isPassedOn = (name: string): boolean =>
    !hopByHop.has(name) || (upgrade === true && ["connection", "upgrade"].includes(name));
  for (const [name, value] of Object.entries(headers))
    if (isPassedOn(name))
      out[name] = typeof value === "string" ? toHeaderBytes(value) : value.map(toHeaderBytes);
  return body.length ? { ...out, "content-length": String(body.length) } : out;
}

const decoded = (value: string | readonly string[]): string | readonly string[] =>
  typeof value === "string" ? headerText(value) : value.map(headerText);

/** Go: net/http/httputil/reverseproxy.go (handleUpgradeResponse). */
const unasked = ({ headers: { upgrade = "" } }: IncomingMessage): string =>
  `backend tried to switch protocol ${JSON.stringify(upgrade)} when "" was requested`;

const plainHeaders = ({ headers }: IncomingMessage): ApiResponse["headers"] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value ? [[name, decoded(value)]] : [])),
  );

/** The bytes of an upgraded connection, both ways. */
const tunnelOf = (socket: Duplex, head: Uint8Array): ByteStream => ({
  open(sink) {
    socket.on("data", (chunk: Uint8Array) => {
      if (!sink.data(chunk)) socket.pause();
    });
    socket.on("drain", () => sink.drained?.());
    socket.on("close", () => sink.end());
    if (socket.destroyed) queueMicrotask(() => sink.end());
    if (head.length) socket.unshift(head);
    return {
      resume: () => void socket.resume(),
      close: () => void socket.destroy(),
      write: (chunk) => socket.write(chunk),
    };
  },
});

/** A response of known length is read; any other is passed on piece by piece. */
async function toResponse(response: IncomingMessage): Promise<ApiResponse> {
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, value] of Object.entries(response.headers))
    if (value !== undefined && !hopByHop.has(name)) headers[name] = decoded(value);
  const status = response.statusCode ?? 502;
  const isWhole = response.headers["content-length"] !== undefined || status === 304;
  return { status, headers, body: isWhole ? await readAll(response) : streamOf(response) };
}

async function readAll(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

const streamOf = (response: IncomingMessage): ByteStream => ({
  open(sink) {
    response.on("data", (chunk: Uint8Array) => {
      if (!sink.data(chunk)) response.pause();
    });
    response.on("end", () => sink.end());
    const cut = (): void => (sink.cut ? sink.cut() : sink.end());
    response.on("error", cut);
    if (response.destroyed) queueMicrotask(cut);
    return {
      resume: () => void response.resume(),
      close: () => void response.destroy(),
    };
  },
});
