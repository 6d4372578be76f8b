// Attacks on connections: each opens a connection, sends what no client should send, and closes it,
// properly or not. A seeded random stream generates the bytes, so that a seed repeats them.
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { gzipSync } from "node:zlib";
import type { Chance } from "../../../test/fixtures/mutated-requests/chance.ts";

/** Where to attack. */
export interface Victim {
  readonly port: number;
  readonly token: string;
}

export type Attack = (victim: Victim, chance: Chance) => Promise<void>;

const maps = "/api/v1/namespaces/default/configmaps";

/**
 * Says `bytes`, listens for a moment, and goes: with an end, or with a reset of the connection
 * below.
 */
function say(
  { socket, below }: Connection,
  bytes: readonly (string | Uint8Array)[],
  chance: Chance,
): Promise<void> {
  const patienceMs = 5 + chance.below(40);
  const rude = chance.oneIn(2);
  return new Promise((resolve) => {
    const end = setTimeout(() => {
      if (rude) below.resetAndDestroy();
      socket.destroy();
    }, patienceMs);
    for (const each of [socket, below]) each.on("error", () => {});
    below.on("close", () => {
      clearTimeout(end);
      resolve();
    });
    socket.resume();
    for (const each of bytes) socket.write(each);
  });
}

interface Connection {
  readonly socket: Socket;
  /** The same without TLS. */
  readonly below: Socket;
}

function tcp({ port }: Victim): Connection {
  const socket = connectTcp(port, "127.0.0.1");
  return { socket, below: socket };
}

function tls(victim: Victim, protocol: "http/1.1" | "h2"): Connection {
  const { socket: below } = tcp(victim);
  return {
    socket: connectTls({ socket: below, rejectUnauthorized: false, ALPNProtocols: [protocol] }),
    below,
  };
}

const noise = (chance: Chance, most: number): Buffer =>
  Buffer.from(Array.from({ length: chance.below(most) }, () => chance.below(256)));
const head = (
  victim: Victim,
  method: string,
  path: string,
  ...headers: readonly string[]
): string =>
  `${[`${method} ${path} HTTP/1.1`, "Host: x", `Authorization: Bearer ${victim.token}`, ...headers].join("\r\n")}\r\n\r\n`;
const json = "Content-Type: application/json";
const body = (name: string): string => `{"metadata":{"name":"${name}"}}`;

/** What is said over HTTP/1.1 inside TLS. */
const spoken: readonly ((victim: Victim, chance: Chance) => readonly (string | Uint8Array)[])[] = [
  (_, chance) => [noise(chance, 400)],
  (victim, chance) => [head(victim, "GET", maps).slice(0, chance.below(60))],
  (victim, chance) => [
    head(victim, "POST", maps, json, `Content-Length: ${10 + chance.below(1e6)}`),
    body("cut").slice(0, chance.below(20)),
  ],
  (victim, chance) => [
    head(
      victim,
      "POST",
      maps,
      json,
      `Content-Length: ${chance.pick(["-1", "1e3", "99999999999999999999", "0x10", " 5", "5, 5", "5, 6"])}`,
    ),
    "{}aaa",
  ],
  (victim) => [
    head(victim, "POST", maps, json, "Content-Length: 5", "Transfer-Encoding: chunked"),
    "0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
  ],
  (victim, chance) => [
    head(victim, "POST", maps, json, "Transfer-Encoding: chunked"),
    chance.pick([
      "zz\r\n",
      "-1\r\n",
      "ffffffffffffffffff\r\n",
      "5\r\nab\r\n",
      "3;" + "x".repeat(50_000),
      '5\r\n{"a":\r\n',
      "\r\n\r\n",
    ]),
  ],
  (victim, chance) => [
    head(
      victim,
      "GET",
      maps,
      ...Array.from({ length: 1000 + chance.below(9000) }, (_, i) => `x-${i}: ${i}`),
    ),
  ],
  (victim, chance) => [head(victim, "GET", maps, `x: ${"y".repeat(chance.below(2_000_000))}`)],
  (victim, chance) => [
    head(victim, "GET", `${maps}?${"labelSelector=a&".repeat(chance.below(4000))}`),
  ],
  (victim, chance) => [head(victim, "GET", maps).repeat(1 + chance.below(50))],
  (victim) => [
    head(
      victim,
      "POST",
      maps,
      json,
      "Content-Encoding: gzip",
      `Content-Length: ${gzipSync(body("zip")).length}`,
    ),
    gzipSync(body("zip")),
  ],
  (victim) => [head(victim, "POST", maps, json, "Expect: 100-continue", "Content-Length: 100")],
  (victim) => [head(victim, "POST", maps, json, "Expect: 200-maybe", "Content-Length: 2"), "{}"],
  (victim, chance) => {
    const bytes = Buffer.concat([Buffer.from("k8s\0"), noise(chance, 5000)]);
    return [
      head(
        victim,
        "POST",
        maps,
        "Content-Type: application/vnd.kubernetes.protobuf",
        `Content-Length: ${bytes.length}`,
      ),
      bytes,
    ];
  },
  (victim, chance) => {
    const deep = chance.pick(["[", '{"a":', "- "]).repeat(chance.below(200_000));
    return [
      head(
        victim,
        "POST",
        maps,
        chance.pick([json, "Content-Type: application/yaml"]),
        `Content-Length: ${deep.length}`,
      ),
      deep,
    ];
  },
  (victim, chance) => {
    const number = `{"a":${chance.pick(["1", "1e", "0."])}${"9".repeat(chance.below(500_000))}}`;
    return [head(victim, "POST", maps, json, `Content-Length: ${number.length}`), number];
  },
  (victim) => [head(victim, "GET", `${maps}?watch=1`)],
  (victim, chance) => [
    head(
      victim,
      "GET",
      `${maps}?watch=1`,
      "Connection: Upgrade",
      `Upgrade: ${chance.pick(["websocket", "SPDY/3.1", "h2c"])}`,
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: YQ==",
    ),
    noise(chance, 300),
  ],
  (victim, chance) => [
    head(
      victim,
      chance.pick(["FOO", "CONNECT", "TRACE", "get", "PRI"]),
      chance.pick([maps, "*", "http://x/y", "//", "/%zz", "/\u0000"]),
    ),
  ],
  () => ["GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n continued: x\r\n\r\n"],
  () => ["GET / HTTP/9.9\r\n\r\n"],
];

const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const frame = (type: number, flags: number, stream: number, payload: Uint8Array): Buffer => {
  const out = Buffer.alloc(9 + payload.length);
  out.writeUIntBE(payload.length, 0, 3);
  out.set([type, flags], 3);
  out.writeUInt32BE(stream, 5);
  out.set(payload, 9);
  return out;
};
const settings = frame(4, 0, 0, Buffer.alloc(0));

/** Frames that break a rule of HTTP/2, after a beginning that keeps them all. */
const frames: readonly ((chance: Chance) => readonly Uint8Array[])[] = [
  (chance) => [noise(chance, 2000)],
  (chance) =>
    Array.from({ length: 20 }, () =>
      frame(chance.below(16), chance.below(256), chance.below(8), noise(chance, 60)),
    ),
  (chance) => [frame(1, 4, 1, noise(chance, 200))],
  (chance) => [
    frame(1, 0, 1, Buffer.from([0x82])),
    ...Array.from({ length: 500 }, () => frame(9, 0, 1, noise(chance, 20))),
  ],
  () => Array.from({ length: 1000 }, () => frame(6, 0, 0, Buffer.alloc(8))),
  () => Array.from({ length: 1000 }, () => settings),
  () => [
    frame(8, 0, 0, Buffer.alloc(4)),
    frame(8, 0, 0, Buffer.from([0x7f, 255, 255, 255])),
    frame(8, 0, 0, Buffer.from([0x7f, 255, 255, 255])),
  ],
  () => [frame(2, 0, 1, Buffer.from([0, 0, 0, 1, 5]))],
  () => [frame(3, 0, 99, Buffer.alloc(4)), frame(0, 1, 77, Buffer.alloc(100))],
  () => [
    frame(4, 0, 0, Buffer.from([0, 4, 255, 255, 255, 255])),
    frame(5, 4, 1, Buffer.alloc(4)),
    frame(7, 0, 0, Buffer.alloc(8)),
  ],
];

/** Streams of a client that is a good one, but for its changes of mind. */
function cancelStreams({ port, token }: Victim, chance: Chance): Promise<void> {
  const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on("error", () => {});
  const paths = [maps, `${maps}?watch=1`, "/openapi/v3", "/apis"];
  for (let i = 0; i < 50; i++) {
    const upload = chance.oneIn(3);
    const stream = session.request(
      {
        ":method": upload ? "POST" : "GET",
        ":path": upload ? maps : chance.pick(paths),
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
      },
      { endStream: !upload },
    );
    stream.on("error", () => {});
    stream.resume();
    if (upload) stream.write(body("cut").slice(0, 9));
    if (chance.oneIn(2)) stream.close(chance.below(14));
    else setTimeout(() => stream.close(8), chance.below(20));
  }
  return new Promise((resolve) => {
    session.on("close", () => resolve());
    setTimeout(() => session.destroy(), 5 + chance.below(40));
  });
}

/** Every attack, by a name for the report. */
export const attacks: Readonly<Record<string, Attack>> = {
  "HTTP/1.1": (victim, chance) =>
    say(tls(victim, "http/1.1"), chance.pick(spoken)(victim, chance), chance),
  "HTTP/2 frames": (victim, chance) =>
    say(tls(victim, "h2"), [preface, settings, ...chance.pick(frames)(chance)], chance),
  "HTTP/2 cancelled": cancelStreams,
  "no TLS": (victim, chance) =>
    say(
      tcp(victim),
      [
        chance.pick([
          noise(chance, 300),
          Buffer.from(head(victim, chance.pick(["GET", "PATCH"]), maps)),
          Buffer.from([0x16, 3, 1, 0xff, 0xff, ...noise(chance, 99)]),
          Buffer.alloc(0),
        ]),
      ],
      chance,
    ),
  "cut handshake": (victim, chance) => {
    const { socket, below } = tls(victim, "h2");
    setTimeout(() => below.destroy(), chance.below(4));
    socket.on("error", () => {});
    return new Promise((resolve) => below.on("close", () => resolve()));
  },
};
