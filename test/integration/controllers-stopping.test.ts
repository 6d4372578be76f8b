// What a controller that stops says of its objects, and that it writes nothing afterwards.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createManager, defineController, installDefinitions, silentLog } from "homeostat";
import { type Client, createClient } from "homeostat/client";
import { Box, describeLaws, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";
import { openServer, type TestServer } from "../fixtures/with-server.ts";

async function conditionsOf(client: Client, name: string): Promise<string> {
  const { status } = await client.get(Box, name);
  const all = (status?.conditions ?? []) as readonly object[] as readonly Record<string, unknown>[];
  return all.map((one) => `${one["type"]} ${one["reason"]}: ${one["message"]}`).join();
}

/** A client whose writes of statuses that `isHeld` are sent once `release` is called. */
function holding({ transport, namespace }: Client, isHeld: (body: string) => boolean) {
  const held: (() => void)[] = [];
  const client = createClient({
    namespace,
    transport: {
      send(request, sink) {
        const body = new TextDecoder().decode(request.body);
        if (!request.path.includes("/status?") || !isHeld(body))
          return transport.send(request, sink);
        let isClosed = false;
        held.push(() => void (isClosed || transport.send(request, sink)));
        const abort = (reason?: unknown): void => {
          if (!isClosed) sink.fail(reason as Error);
          isClosed = true;
        };
        return { resume() {}, abort };
      },
      close: async () => {},
    },
  });
  return { client, held, release: () => held.forEach((send) => send()) };
}

describeLaws("stopping", ({ run }) => {
  it("of an object in a loop it says what its last reconcile said", async () => {
    let isHanging = false;
    const controller = defineController(Box, {
      concurrency: 4,
      async reconcile({ object, status, wait, retry }) {
        const { name } = object.metadata;
        if (name === "hangs" && isHanging) await new Promise(() => {});
        status({ note: String((object.status.note ?? "1") === "1" ? 2 : 1) });
        if (name === "waits") return wait.for("two eggs");
        if (name === "retries") return retry.in(1, { because: "the oven is hot" });
        if (name === "polls") return retry.in(1);
        return undefined;
      },
    });
    const said = {
      waits: "Reconciling Waiting: waiting for two eggs",
      retries: "Reconciling Retrying: the oven is hot",
      polls: "",
      returns: "",
      hangs: "Reconciling Stopped: its controller stopped meanwhile",
    };
    const test = async (client: Client, manager: { stop(): Promise<void> }): Promise<void> => {
      for (const name of Object.keys(said)) await client.create(Box, Box(name, {}));
      const isLooping = async (name: string): Promise<boolean> =>
        (await conditionsOf(client, name)).startsWith("Stalled ReconcileLoop");
      await until(
        async () => (await Promise.all(Object.keys(said).map(isLooping))).every(Boolean),
        { timeoutMs: 60_000 },
      );
      isHanging = true;
      await client.patch(Box, "hangs", { type: "merge", body: { spec: { label: "now" } } });
      await sleep(200);
      await manager.stop();
      for (const [name, conditions] of Object.entries(said))
        assert.equal(await conditionsOf(client, name), conditions, name);
    };
    await run([controller], test, { shutdownTimeoutMs: 500 });
  });
});

describe("a controller that stops, its writes held up", () => {
  let server: TestServer;
  before(async () => {
    server = await openServer("in-process");
    await installDefinitions(await server.client(), [Box]);
  });
  after(() => server.close());

  it("what it has not said when its time is up it does not say later", async () => {
    const plain = await server.client();
    const { client, held, release } = holding(plain, (body) => body.includes("DeadlineExceeded"));
    const controller = defineController(Box, {
      timeout: "50ms",
      reconcile: () => new Promise<undefined>(() => {}),
    });
    const { namespace } = plain;
    const options = { operator: "laws", controllers: [controller], client, namespace };
    const manager = createManager({ ...options, log: silentLog, shutdownTimeoutMs: 300 });
    await manager.start();
    await plain.create(Box, Box("hung", {}));
    await until(() => held.length > 0);
    await manager.stop();
    release();
    await sleep(300);
    assert.equal(await conditionsOf(plain, "hung"), "");
  });

  it("what its reconciles have begun to say is awaited", async () => {
    const plain = await server.client();
    const { client, held, release } = holding(plain, (body) => body.includes("DeadlineExceeded"));
    let isDone = (): void => {};
    const done = new Promise<void>((resolve) => (isDone = resolve));
    const controller = defineController(Box, { timeout: "50ms", reconcile: () => done });
    const { namespace } = plain;
    const options = { operator: "laws", controllers: [controller], client, namespace };
    const manager = createManager({ ...options, log: silentLog });
    await manager.start();
    await plain.create(Box, Box("late", {}));
    await until(() => held.length > 0);
    isDone();
    const stopped = manager.stop();
    await sleep(100);
    release();
    await stopped;
    assert.match(await conditionsOf(plain, "late"), /^Stalled DeadlineExceeded/);
  });

  it("a reconcile that still shows the loop has not the last say", async () => {
    const plain = await server.client();
    let holds = false;
    const { client, held, release } = holding(
      plain,
      (body) => holds && body.includes("ReconcileLoop"),
    );
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        status({ note: String((object.status.note ?? "1") === "1" ? 2 : 1) });
      },
    });
    const { namespace } = plain;
    const options = { operator: "laws", controllers: [controller], client, namespace };
    const manager = createManager({ ...options, log: silentLog });
    await manager.start();
    await plain.create(Box, Box("looped", {}));
    await until(async () => (await conditionsOf(plain, "looped")).startsWith("Stalled"));
    holds = true;
    await plain.patch(Box, "looped", { type: "merge", body: { spec: { label: "now" } } });
    await until(() => held.length > 0);
    const stopped = manager.stop();
    await sleep(100);
    release();
    await stopped;
    assert.equal(await conditionsOf(plain, "looped"), "");
  });
});
