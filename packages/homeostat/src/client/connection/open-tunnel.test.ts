// What a proxy is told, byte by byte, and what becomes of each of its answers.
import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { inspect } from "node:util";
import { openTunnel, type TunnelOptions } from "./open-tunnel.ts";

type Answer = readonly number[] | string | undefined;

/** A proxy that gives these answers, one to each piece that it hears; undefined closes. */
async function listen(t: TestContext, answers: readonly Answer[]) {
  const heard: Buffer[] = [];
  const sockets: Socket[] = [];
  const left = [...answers];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {});
    socket.on("data", (bytes) => {
      heard.push(bytes);
      if (left.length === 0) return;
      const answer = left.shift();
      if (answer === undefined) socket.destroy();
      else socket.write(typeof answer === "string" ? answer : Buffer.from(answer));
    });
  });
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const open = async (url: string, to: Partial<TunnelOptions> = {}): Promise<Socket> => {
    const proxy = new URL(url.replace("PROXY", `127.0.0.1:${port}`));
    const options = { proxy, host: "api.example.com", port: 6443, timeoutMs: 2000, tls: {} };
    const socket = await openTunnel({ ...options, ...to });
    t.after(() => socket.destroy());
    return socket;
  };
  return { open, heard, sockets, port, server };
}

const bytes = (...parts: readonly (number | string)[]): number[] =>
  parts.flatMap((part) => (typeof part === "number" ? [part] : [...Buffer.from(part)]));
const name = "api.example.com";
const bound = [0, 0, 0, 0, 0, 0];

describe("a tunnel through an HTTP proxy", () => {
  it("is asked for by CONNECT; what comes behind the answer is the server's", async (t) => {
    const { open, heard } = await listen(t, ["HTTP/1.1 200 OK\r\nX: y\r\n\r\nhello"]);
    const socket = await open("http://PROXY");
    assert.equal(
      String(Buffer.concat(heard)),
      "CONNECT api.example.com:6443 HTTP/1.1\r\nHost: api.example.com:6443\r\n\r\n",
    );
    assert.equal(String(socket.read()), "hello");
    assert.equal(socket.listenerCount("timeout"), 0);
    assert.equal(socket.timeout, 0);
  });

  it("names the user, and IPv6 addresses in brackets", async (t) => {
    const { open, heard } = await listen(t, ["HTTP/1.0 200\r\n\r\n"]);
    await open("http://ada:s%3Acret@PROXY", { host: "fd00::7", port: 1 });
    const basic = Buffer.from("ada:s:cret").toString("base64");
    assert.equal(
      String(Buffer.concat(heard)),
      `CONNECT [fd00::7]:1 HTTP/1.1\r\nHost: [fd00::7]:1\r\nProxy-Authorization: Basic ${basic}\r\n\r\n`,
    );
  });

  for (const [answer, why] of [
    ["HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", /: it answered 407 Proxy Auth.*$/],
    [`HTTP/1.1 502 ${"x".repeat(200)}\r\n\r\n`, /: it answered 502 x{96}$/],
    ["HTTP/1.1 2000 Odd\r\n\r\n", /: it answered 2000 Odd$/],
    ["HTTP/2 200\r\n\r\n", /: it answered 200$/],
    [`HTTP/1.1 200 OK\r\nX: ${"x".repeat(16_384)}`, /: its answer has no end$/],
    [undefined, /: (it closed the connection|read ECONNRESET)$/],
  ] as const)
    it(`fails: ${why.source}; and keeps the password to itself`, async (t) => {
      const { open, port } = await listen(t, [answer]);
      await assert.rejects(open("http://ada:secret@PROXY"), (error: Error) => {
        assert.match(error.message, why);
        assert.match(error.message, new RegExp(`^through the proxy http://127.0.0.1:${port}: `));
        assert.doesNotMatch(inspect(error), /secret|ada/);
        return true;
      });
    });

  it("fails when nothing is answered in time, and closes its connection", async (t) => {
    const { open, sockets } = await listen(t, []);
    await assert.rejects(open("http://PROXY", { timeoutMs: 50 }), /no answer within 50 ms$/);
    if (!sockets[0]!.closed) await once(sockets[0]!, "close");
  });

  it("fails when nothing listens", async (t) => {
    const { port, server } = await listen(t, []);
    await new Promise((resolve) => server.close(resolve));
    const proxy = new URL(`http://127.0.0.1:${port}`);
    const to = { proxy, host: name, port: 1, timeoutMs: 2000, tls: {} };
    await assert.rejects(openTunnel(to), /127\.0\.0\.1:\d+: .*ECONNREFUSED/);
  });
});

describe("a tunnel through a SOCKS5 proxy", () => {
  const request = (...address: readonly number[]): number[] => [5, 1, 0, ...address, 0x19, 0x2b];

  for (const [host, address] of [
    [name, bytes(3, name.length, name)],
    ["10.1.2.3", [1, 10, 1, 2, 3]],
    ["fd00::7", [4, 0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7]],
    ["::1", [4, ...Array<number>(15).fill(0), 1]],
    ["1:2:3:4:5:6:7:ff08", [4, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0xff, 8]],
  ] as const)
    it(`is asked for ${host}`, async (t) => {
      const { open, heard } = await listen(t, [
        [5, 0],
        [5, 0, 0, 1, ...bound],
      ]);
      await open("socks5://PROXY", { host });
      assert.deepEqual([...Buffer.concat(heard)], [5, 1, 0, ...request(...address)]);
    });

  for (const [what, address] of [
    ["a name", bytes(3, 4, "host", 0, 0)],
    ["IPv4", [1, ...bound]],
    ["IPv6", [4, ...Array<number>(18).fill(0)]],
  ] as const)
    it(`begins behind an answer that names ${what}`, async (t) => {
      const { open } = await listen(t, [
        [5, 0],
        [5, 0, 0, ...address, ...bytes("hello")],
      ]);
      assert.equal(String((await open("socks5://PROXY")).read()), "hello");
    });

  it("names user and password where the proxy asks for them, and only there", async (t) => {
    const asked = await listen(t, [
      [5, 2],
      [1, 0],
      [5, 0, 0, 1, ...bound],
    ]);
    await asked.open("socks5://ada:s%3Acret@PROXY");
    const login = bytes(1, 3, "ada", 6, "s:cret");
    const rest = request(...bytes(3, name.length, name));
    assert.deepEqual([...Buffer.concat(asked.heard)], [5, 2, 0, 2, ...login, ...rest]);
    const open = await listen(t, [
      [5, 0],
      [5, 0, 0, 1, ...bound],
    ]);
    await open.open("socks5://ada:secret@PROXY");
    assert.deepEqual([...Buffer.concat(open.heard)], [5, 2, 0, 2, ...rest]);
  });

  for (const [url, answers, why] of [
    ["socks5://PROXY", [[4, 0]], /it speaks no SOCKS5$/],
    ["socks5://PROXY", [[5, 2]], /it wants another way to log in$/],
    ["socks5://PROXY", [[5, 255]], /it wants another way to log in$/],
    [
      "socks5://ada:secret@PROXY",
      [
        [5, 2],
        [1, 1],
      ],
      /it refused user and password$/,
    ],
    [`socks5://ada:${"x".repeat(256)}@PROXY`, [[5, 2]], /user or password is too long$/],
    [
      "socks5://PROXY",
      [
        [5, 0],
        [5, 1, 0, 1],
      ],
      /it answered: general failure$/,
    ],
    [
      "socks5://PROXY",
      [
        [5, 0],
        [5, 2, 0, 1],
      ],
      /it answered: the connection is not allowed$/,
    ],
    [
      "socks5://PROXY",
      [
        [5, 0],
        [5, 5, 0, 1],
      ],
      /it answered: the connection is refused$/,
    ],
    [
      "socks5://PROXY",
      [
        [5, 0],
        [5, 8, 0, 1],
      ],
      /it answered: the address is not supported$/,
    ],
    [
      "socks5://PROXY",
      [
        [5, 0],
        [5, 9, 0, 1],
      ],
      /it answered: code 9$/,
    ],
    ["socks5://PROXY", [[5, 0], undefined], /it closed the connection|ECONNRESET/],
  ] as const)
    it(`fails: ${why.source}`, async (t) => {
      const { open } = await listen(t, answers);
      await assert.rejects(open(url), (error: Error) => {
        assert.match(error.message, why);
        assert.doesNotMatch(inspect(error), /secret|ada/);
        return true;
      });
    });
});
