import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "../client/create-client.ts";
import {
  createScriptedTransport,
  type ScriptedExchange,
} from "../client/scripted-transport.suite.ts";
import { createVirtualRuntime } from "../runtime/virtual-runtime.ts";
import { LeaseWatch } from "./watch-lease.ts";

const retryMs = 2000;
const lease = {
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "op", namespace: "home", resourceVersion: "7" },
  spec: {},
};

async function arrange() {
  const runtime = createVirtualRuntime();
  const opened: ScriptedExchange[] = [];
  const transport = createScriptedTransport((exchange) => {
    opened.push(exchange);
    exchange.head().lines({ type: "ADDED", object: lease });
  });
  const said: string[] = [];
  const watch = new LeaseWatch({
    client: createClient({ transport, runtime, namespace: "home" }),
    clock: runtime.clock,
    selection: { namespace: "home", fieldSelector: "metadata.name=op" },
    retryMs,
    saw: () => void said.push("saw"),
    watching: (is) => void said.push(`watching ${is}`),
    failed: (error) => void said.push(String(error)),
  });
  watch.start();
  await runtime.advance(0);
  assert.deepEqual(said.splice(0), ["watching true", "saw"]);
  return { runtime, opened, watch, said: () => said.splice(0) };
}

describe("a watch of Leases", () => {
  it("that has ended after a while is opened again at once", async () => {
    const { runtime, opened, said } = await arrange();
    await runtime.advance(retryMs);
    opened[0]!.end();
    await runtime.advance(0);
    assert.equal(opened.length, 2);
    assert.deepEqual(said(), ["watching true", "saw"]);
  });

  it("that ends soon, or breaks, is blind for a retry period and says so", async () => {
    const { runtime, opened, said, watch } = await arrange();
    await runtime.advance(retryMs - 1);
    opened[0]!.end();
    await runtime.advance(retryMs - 1);
    assert.deepEqual([opened.length, said()], [1, ["watching false"]]);
    await runtime.advance(1);
    assert.deepEqual([opened.length, said()], [2, ["watching true", "saw"]]);
    await runtime.advance(10 * retryMs);
    opened[1]!.fail(new Error("the connection broke"));
    await runtime.advance(0);
    assert.deepEqual(
      [opened.length, said()],
      [2, ["Error: the connection broke", "watching false"]],
    );
    await runtime.advance(retryMs);
    assert.equal(opened.length, 3);
    opened[2]!.end();
    await runtime.advance(0);
    assert.equal(opened.length, 3, "it has not lived either");
    watch.stop();
    await runtime.advance(retryMs);
    assert.equal(opened.length, 3);
  });

  it("asks for its Leases, and takes bookmarks for a sign of life", async () => {
    const { runtime, opened, said, watch } = await arrange();
    const { pathname, searchParams } = opened[0]!.url;
    assert.match(pathname, /\/namespaces\/home\/leases$/);
    assert.equal(searchParams.get("fieldSelector"), "metadata.name=op");
    opened[0]!.lines({ type: "BOOKMARK", object: lease });
    await runtime.advance(0);
    assert.deepEqual(said(), ["watching true"]);
    watch.renew();
    await runtime.advance(0);
    watch.stop();
    await runtime.advance(0);
    assert.deepEqual([opened.length, said()], [2, ["watching true", "saw"]], "no failure");
    assert.ok(opened.every(({ aborted }) => aborted));
  });
});
