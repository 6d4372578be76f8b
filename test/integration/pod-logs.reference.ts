// Logs of pods through the real kube-apiserver, which asks a kubelet; a stand-in on loopback plays
// that. What is tested is the way there and back: which options arrive, what comes, and that a
// reader who stops or leaves is noticed at the other end.
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import { type Client, createClient, podLog, podLogLines } from "homeostat/client";
import { Node, Pod } from "homeostat/k8s/core/v1";
import { firstLineAt, type KubeletStandIn, startKubelet } from "../fixtures/kubelet-stand-in.ts";
import { until } from "../fixtures/until.ts";
import { accessTo, openServer, type TestServer } from "../fixtures/with-server.ts";

const node = `logs-${process.pid}`;

describe("logs of pods", { timeout: 60_000 }, () => {
  let server: TestServer;
  let client: Client;
  let kubelet: KubeletStandIn;

  before(async () => {
    kubelet = await startKubelet();
    server = await openServer("reference");
    client = await server.client();
    await client.create(Node, { metadata: { name: node } });
    const status = {
      addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
      daemonEndpoints: { kubeletEndpoint: { Port: kubelet.port } },
    };
    await client.patch(Node, node, { type: "merge", body: { status } }, { subresource: "status" });
    const containers = ["app", "side"].map((name) => ({ name, image: "none" }));
    await client.create(Pod, {
      metadata: { name: "web" },
      spec: { nodeName: node, containers, automountServiceAccountToken: false },
    });
  });
  after(async () => {
    await client.delete(Node, node);
    await server.close();
    kubelet.close();
  });

  const last = () => kubelet.requests.at(-1)!;
  const options = { container: "app" } as const;

  it("come whole, of the container that is named", async () => {
    const text = await podLog(client, "web", options);
    assert.equal(text.split("\n").length, 11);
    assert.equal(last().path, `/containerLogs/${client.namespace}/web/app`);
    await podLog(client, { name: "web", namespace: client.namespace! }, { container: "side" });
    assert.match(last().path, /\/web\/side$/);
    await assert.rejects(podLog(client, "web"), /a container name must be specified.*app.*side/);
    await assert.rejects(podLog(client, "web", { container: "no" }), /container no is not valid/);
  });

  it("are cut and marked as asked: tail, since, timestamps, previous, limitBytes", async () => {
    assert.equal(await podLog(client, "web", { ...options, tailLines: 2 }), "line 8\nline 9\n");
    const sinceTime = new Date(firstLineAt + 9000).toISOString().replace(".000", "");
    assert.equal(await podLog(client, "web", { ...options, sinceTime }), "line 9\n");
    assert.equal(
      await podLog(client, "web", { ...options, timestamps: true, tailLines: 1 }),
      "2026-11-22T13:00:09.000Z line 9\n",
    );
    assert.equal(
      await podLog(client, "web", { ...options, previous: true, tailLines: 1 }),
      "before: line 9\n",
    );
    assert.equal(await podLog(client, "web", { ...options, limitBytes: 10 }), "line 0\nlin");
    await podLog(client, "web", { ...options, sinceSeconds: 7 });
    assert.equal(last().query["sinceSeconds"], "7");
    await assert.rejects(
      podLog(client, "web", { ...options, sinceSeconds: 7, sinceTime }),
      /at most one of `sinceTime` or `sinceSeconds` may be specified/,
    );
    const found: string[] = [];
    for await (const line of podLogLines(client, "web", { ...options, limitBytes: 10 }))
      found.push(line);
    assert.deepEqual(found, ["line 0", "lin"], "the last line has no newline");
  });

  it("are followed line by line, until the container ends", async () => {
    const found: string[] = [];
    const reading = (async () => {
      for await (const line of podLogLines(client, "web", {
        ...options,
        follow: true,
        tailLines: 1,
      }))
        found.push(line);
    })();
    await until(() => found.length === 1);
    last().add("more");
    await until(() => found.length === 2);
    last().add("");
    last().add("ü 🍕");
    last().end();
    await reading;
    assert.deepEqual(found, ["line 9", "more", "", "ü 🍕"]);
  });

  it("end at the kubelet when the reader leaves, or aborts", async () => {
    for await (const line of podLogLines(client, "web", { ...options, follow: true })) {
      assert.equal(line, "line 0");
      break;
    }
    await last().left;
    const stop = new AbortController();
    const reading = (async () => {
      for await (const line of podLogLines(client, "web", {
        ...options,
        follow: true,
        signal: stop.signal,
      }))
        if (line === "line 9") stop.abort(new Error("enough"));
    })();
    await assert.rejects(reading, /enough/);
    await last().left;
  });

  it("wait for a reader that stops reading, and lose nothing", async () => {
    const own = createClient({ access: await accessTo(server), namespace: client.namespace! });
    const lines = podLogLines(own, "web", { ...options, follow: true, tailLines: 0 });
    const reader = lines[Symbol.asyncIterator]();
    const first = reader.next();
    await until(() => last().query["tailLines"] === "0");
    const filler = "x".repeat(64 * 1024);
    const most = 2000;
    let sent = 0;
    // Bounded by the buffers on the way: a client that read on would take all 125 MiB.
    for (let quietMs = 0; sent < most && quietMs < 1500;) {
      const isBehind = last().isBehind();
      if (!isBehind) last().add(`${sent++} ${filler}`);
      quietMs = isBehind ? quietMs + 10 : 0;
      await sleep(isBehind ? 10 : 0);
    }
    assert.ok(sent < most, `${sent} lines were taken from one who does not read`);
    last().end();
    let received = 0;
    for (let next = await first; !next.done; next = await reader.next())
      assert.equal(Number(next.value.split(" ", 1)[0]), received++);
    assert.equal(received, sent);
    await own.close();
  });
});
