// The in-process transport leaves time for timers and sockets: without a socket, every answer would
// be a microtask, and a caller in a loop would keep the event loop for itself.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Sink } from "homeostat/api";
import type { Handler } from "../apimachinery/handler.ts";
import { createInProcessTransport, requestsPerTurn } from "./in-process.ts";

const request = { method: "GET", path: "/", headers: {} };
const nothing = { head() {}, data: () => true, fail() {} };

function open() {
  const order: string[] = [];
  const handler: Handler = async ({ path }) => {
    order.push(path);
    return { status: 200, headers: {}, body: new Uint8Array(0) };
  };
  const transport = createInProcessTransport(handler, { name: "tester", groups: [] });
  const send = (path = "/", more: Partial<Sink> = {}): Promise<void> =>
    new Promise((end) =>
      transport.send({ ...request, path }, { ...nothing, end, fail: () => end(), ...more }),
    );
  return { transport, order, send };
}

/** Resolves when the event loop has come round. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("the in-process transport", () => {
  it("gives the event loop a turn within a bounded number of requests of a loop", async () => {
    const { order, send } = open();
    let isOver = false;
    void turn().then(() => (isOver = true));
    while (!isOver && order.length < 10_000) await send();
    assert.ok(order.length <= 2 * requestsPerTurn, `${order.length} requests`);
  });

  it("serves requests in order, and as many at once in every turn", async () => {
    const { order, send } = open();
    const paths = Array.from({ length: 3 * requestsPerTurn + 1 }, (_, i) => `/${i}`);
    const sent = Promise.all(paths.map((path) => send(path)));
    assert.equal(order.length, requestsPerTurn);
    await turn();
    assert.equal(order.length, 2 * requestsPerTurn);
    const late = send("/late");
    let turns = 1;
    for (; order.length <= paths.length; turns++) await turn();
    assert.ok(turns >= 3 && turns <= 4, `${turns}`);
    assert.deepEqual(order, [...paths, "/late"]);
    await Promise.all([sent, late]);
  });

  it("tells the server when an exchange was aborted, or has ended", async () => {
    const closed: (Promise<void> | undefined)[] = [];
    const handler: Handler = async (asked) => {
      closed.push(asked.closed);
      if (asked.path === "/silent") await new Promise(() => {});
      return { status: 200, headers: {}, body: new Uint8Array(0) };
    };
    const transport = createInProcessTransport(handler, { name: "tester", groups: [] });
    const exchange = transport.send({ ...request, path: "/silent" }, { ...nothing, end() {} });
    await new Promise<void>((end) => transport.send(request, { ...nothing, end }));
    const [silent, answered] = closed;
    assert(silent && answered);
    await answered;
    exchange.abort();
    await silent;
  });

  it("serves nothing that was aborted, or closed, while it waited for a turn", async () => {
    const { transport, order, send } = open();
    const sent = Array.from({ length: requestsPerTurn }, () => send());
    const errors: Error[] = [];
    const waiting = ["/aborted", "/closed"].map((path) =>
      transport.send(
        { ...request, path },
        { ...nothing, end() {}, fail: (error) => errors.push(error) },
      ),
    );
    waiting[0]!.abort(new Error("not wanted"));
    await transport.close();
    await Promise.all(sent);
    await turn();
    await turn();
    assert.equal(order.length, requestsPerTurn);
    assert.deepEqual(
      errors.map(({ message }) => message),
      ["not wanted", "the transport was closed while the exchange was under way"],
    );
  });
});
