// One slow answer of the server holds up one object.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createManager, defineController, installDefinitions, silentLog } from "homeostat";
import { type Client, createClient } from "homeostat/client";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";
import { openServer, type TestServer } from "../fixtures/with-server.ts";

/** A client whose writes of ConfigMap `name` are answered once `answer` is called. */
function slowFor({ transport, namespace }: Client, name: string) {
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const client = createClient({
    namespace,
    transport: {
      send(request, sink) {
        const isSlow = request.method === "PATCH" && request.path.includes(`/configmaps/${name}?`);
        return transport.send(
          request,
          isSlow ? { ...sink, end: () => void answered.then(() => sink.end()) } : sink,
        );
      },
      close: async () => {},
    },
  });
  return { client, answer };
}

/** Runs a controller whose object `a` has a slow answer, once that answer is awaited. */
async function withSlow(
  plain: Client,
  settings: { readonly concurrency?: number },
  test: (names: () => Promise<string>, answer: () => void) => Promise<void>,
): Promise<void> {
  const { client, answer } = slowFor(plain, "a");
  const controller = defineController(Box, {
    ...settings,
    owns: [ConfigMap],
    async reconcile({ object, own, status }) {
      await own(ConfigMap, [ConfigMap(object.metadata.name, { data: { label: "x" } })]);
      status({ note: "done" });
    },
  });
  const { namespace } = client;
  const manager = createManager({
    operator: "laws",
    controllers: [controller],
    client,
    namespace,
    log: silentLog,
  });
  await manager.start();
  try {
    await plain.create(Box, Box("a", {}));
    await until(async () => (await plain.find(ConfigMap, "a")) !== undefined);
    for (const name of ["b", "c"]) await plain.create(Box, Box(name, {}));
    await test(
      async () =>
        (await plain.list(Box, { namespace })).items
          .flatMap(({ status, metadata }) => (status?.note === "done" ? metadata.name : []))
          .sort()
          .join(),
      answer,
    );
  } finally {
    answer();
    await manager.stop();
  }
}

describe("slow answers of the server", { timeout: 60_000 }, () => {
  let server: TestServer;
  before(async () => {
    server = await openServer("in-process");
    await installDefinitions(await server.client(), [Box]);
  });
  after(() => server.close());

  it("hold up their own object only", async () => {
    await withSlow(await server.client(), {}, async (done, answer) => {
      await until(async () => (await done()) === "b,c");
      answer();
      await until(async () => (await done()) === "a,b,c");
    });
  });

  it("hold up all objects of a controller with an explicit concurrency of 1", async () => {
    await withSlow(await server.client(), { concurrency: 1 }, async (done, answer) => {
      await new Promise((resolve) => setTimeout(resolve, 1500));
      assert.equal(await done(), "");
      answer();
      await until(async () => (await done()) === "a,b,c");
    });
  });
});
