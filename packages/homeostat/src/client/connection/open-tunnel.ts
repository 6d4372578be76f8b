// Opens a connection through a proxy: HTTP CONNECT, or SOCKS5.
// Upstream: net/http/transport.go (dialConn), golang.org/x/net/internal/socks; RFC 9110 9.3.6, RFC
// 1928, RFC 1929.
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";
import { ProxyError } from "../connection-error.ts";
import { proxyAuthorization } from "./proxy-authorization.ts";

/** How to reach a server through a proxy. */
export interface TunnelOptions {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** For https proxies: the settings for the server itself, as Go has it. */
  readonly tls: ConnectionOptions;
}

/** Resolves to a socket on which the server answers. */
export async function openTunnel(options: TunnelOptions): Promise<Socket> {
  const { proxy, timeoutMs } = options;
  const socket = openSocket(options);
  const failed = new Promise<never>((_, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("it closed the connection")));
  });
  failed.catch(() => {});
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`no answer within ${timeoutMs} ms`)));
  try {
    await Promise.race([
      failed,
      proxy.protocol === "socks5:" ? askSocks(socket, options) : askHttp(socket, options),
    ]);
  } catch (cause) {
    socket.destroy();
    const { message } = cause as Error;
    throw new ProxyError(`through the proxy ${proxy.protocol}//${proxy.host}: ${message}`, {
      cause,
    });
  }
  socket.setTimeout(0);
  socket.removeAllListeners("timeout").removeAllListeners("error").removeAllListeners("close");
  return socket;
}

function openSocket({ proxy, tls }: TunnelOptions): Socket {
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const port = Number(proxy.port || { "https:": 443, "socks5:": 1080 }[proxy.protocol] || 80);
  if (proxy.protocol !== "https:") return connect({ host, port });
  return connectTls({ servername: isIP(host) ? "" : host, ...tls, host, port });
}

async function askHttp(socket: Socket, { proxy, host, port }: TunnelOptions): Promise<void> {
  const target = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  const lines = [
    `CONNECT ${target} HTTP/1.1`,
    `Host: ${target}`,
    ...(authorization === undefined ? [] : [`Proxy-Authorization: ${authorization}`]),
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  let head = "";
  while (!head.endsWith("\r\n\r\n")) {
    head += (await readExactly(socket, 1)).toString("latin1");
    if (head.length > 16_384) throw new Error("its answer has no end");
  }
  const [status = ""] = head.split("\r\n");
  if (!/^HTTP\/1\.[01] 200(?: |$)/.test(status))
    throw new Error(`it answered ${status.replace(/^HTTP\/\S+ /, "").slice(0, 100)}`);
}

async function askSocks(socket: Socket, { proxy, host, port }: TunnelOptions): Promise<void> {
  const hasUser = proxy.username !== "";
  socket.write(Buffer.from(hasUser ? [5, 2, 0, 2] : [5, 1, 0]));
  const [version, method] = await readExactly(socket, 2);
  if (version !== 5) throw new Error("it speaks no SOCKS5");
  if (method === 2 && hasUser) await logIn(socket, proxy);
  else if (method !== 0) throw new Error("it wants another way to log in");
  const portBytes = [port >> 8, port & 255];
  socket.write(Buffer.from([5, 1, 0, ...addressBytes(host), ...portBytes]));
  const [, reply = 1, , type] = await readExactly(socket, 4);
  if (reply !== 0) throw new Error(`it answered: ${replies[reply] ?? `code ${reply}`}`);
  await readExactly(socket, (await boundLength(socket, type)) + 2);
}

/** Length of the address in a SOCKS5 answer: IPv4, a name, or IPv6. */
async function boundLength(socket: Socket, type: number | undefined): Promise<number> {
  if (type === 3) return (await readExactly(socket, 1))[0]!;
  return type === 1 ? 4 : 16;
}

async function logIn(socket: Socket, { username, password }: URL): Promise<void> {
  const texts = [username, password].map((each) => Buffer.from(decodeURIComponent(each)));
  if (texts.some(({ length }) => length > 255)) throw new Error("user or password is too long");
  socket.write(
    Buffer.concat([Buffer.of(1), ...texts.flatMap((each) => [Buffer.of(each.length), each])]),
  );
  const [, status] = await readExactly(socket, 2);
  if (status !== 0) throw new Error("it refused user and password");
}

/** The proxy resolves names. */
function addressBytes(host: string): readonly number[] {
  if (isIP(host) === 4) return [1, ...host.split(".").map(Number)];
  if (isIP(host) === 6) return [4, ...ipv6Bytes(host)];
  return [3, host.length, ...Buffer.from(host, "latin1")];
}

function ipv6Bytes(host: string): readonly number[] {
  const [head = "", tail] = new URL(`http://[${host}]`).hostname.slice(1, -1).split("::");
  const groups = (text: string): string[] => text.split(":").filter(Boolean);
  const [first, last] = [groups(head), groups(tail ?? "")];
  const zeros = Array<string>(8 - first.length - last.length).fill("0");
  return [...first, ...zeros, ...last].flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}

/** RFC 1928, section 6. */
const replies: readonly (string | undefined)[] = [
  undefined,
  "general failure",
  "the connection is not allowed",
  "the network is unreachable",
  "the host is unreachable",
  "the connection is refused",
  "the connection timed out",
  "the command is not supported",
  "the address is not supported",
];

async function readExactly(socket: Socket, length: number): Promise<Buffer> {
  for (;;) {
    const bytes = socket.read(length) as Buffer | null;
    if (bytes !== null) return bytes;
    await new Promise((resolve) => socket.once("readable", resolve));
  }
}
