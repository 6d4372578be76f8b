// Faults on demand: each does what it says to the requests that it names, and to no others.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { type ApiServer, startApiServer } from "@homeostat/apiserver";
import { type Client, createClient, loadKubeconfig } from "homeostat/client";
import { isApiStatusError } from "homeostat/api";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { until } from "../fixtures/until.ts";

let server: ApiServer;
let client: Client;
const map = (name: string, value = "1") => ConfigMap(name, { data: { value } });
const only = { userAgent: "under-test" };
const faults = () => server.faults!;

before(async () => {
  server = await startApiServer({ faults: "http", controllers: "none" });
  client = createClient({ transport: server.transport(), userAgent: "under-test" });
});
after(async () => {
  await client.close();
  await server.close();
});
beforeEach(() => faults().clear());

test("the n-th matching request is refused, and nothing is done", async () => {
  const on = { ...only, verbs: ["create"], resources: ["configmaps"] };
  const { id } = faults().add({ on, after: 1, times: 1, effect: { type: "error", code: 409 } });
  await client.create(ConfigMap, map("first"));
  await assert.rejects(client.create(ConfigMap, map("second")), (error) => {
    assert.ok(isApiStatusError(error));
    assert.equal(error.status.reason, "Conflict");
    return true;
  });
  assert.equal(await client.find(ConfigMap, "second"), undefined);
  await client.create(ConfigMap, map("second"));
  assert.deepEqual(
    faults()
      .list()
      .map((one) => [one.id, one.seen, one.hits]),
    [[id, 3, 1]],
  );
});

test("a refusal may say when to try again, and other clients are left alone", async () => {
  const effect = { type: "error", code: 429, retryAfterSeconds: 1 } as const;
  faults().add({ on: only, times: 1, effect });
  const other = createClient({ transport: server.transport(), userAgent: "other" });
  await other.list(ConfigMap);
  const startedAt = performance.now();
  await client.list(ConfigMap);
  assert.ok(performance.now() - startedAt >= 900, "the client has waited for Retry-After");
  assert.equal(faults().list()[0]?.hits, 1);
});

test("a write is carried out and its answer is withheld", async () => {
  faults().add({ on: { ...only, verbs: ["create"] }, times: 1, effect: { type: "withhold" } });
  await assert.rejects(client.create(ConfigMap, map("withheld")), /ERR_CLIENT_CONNECTION_LOST/);
  assert.equal((await client.get(ConfigMap, "withheld")).data?.["value"], "1");
});

test("an answer that hangs is cut when the fault is removed", async () => {
  const effect = { type: "withhold", then: "hang" } as const;
  const { id } = faults().add({ on: { ...only, verbs: ["create"] }, effect });
  const writing = client.create(ConfigMap, map("hanging"));
  let isSettled = false;
  const settled = writing.then(
    () => (isSettled = true),
    (error: Error) => ((isSettled = true), error),
  );
  await until(async () => (await client.find(ConfigMap, "hanging")) !== undefined);
  assert.equal(isSettled, false);
  assert.equal(faults().remove(id), true);
  assert.match(String(await settled), /ERR_CLIENT_CONNECTION_LOST/);
  assert.equal(faults().remove(id), false);
});

test("a list is as it was when the fault was added", async () => {
  await client.create(ConfigMap, map("old"));
  const { id } = faults().add({ on: only, effect: { type: "stale" } });
  await client.create(ConfigMap, map("new"));
  const names = async () =>
    (await client.list(ConfigMap)).items.map(({ metadata }) => metadata.name);
  const stale = await names();
  assert.ok(stale.includes("old") && !stale.includes("new"));
  const streaming = client.watch(ConfigMap, { sendInitialEvents: true, allowWatchBookmarks: true });
  await assert.rejects(streaming[Symbol.asyncIterator]().next(), /WatchList feature gate/);
  faults().remove(id);
  assert.ok((await names()).includes("new"));
});

/** What a watch on ConfigMaps shows of new objects; runs until the watch ends. */
function watchNew() {
  const seen: string[] = [];
  let hasEnded = false;
  const stop = new AbortController();
  void (async () => {
    const { resourceVersion } = await client.list(ConfigMap);
    const options = { signal: stop.signal, ...(resourceVersion ? { resourceVersion } : {}) };
    for await (const event of client.watch(ConfigMap, options))
      if (event.type !== "BOOKMARK") seen.push((event.object as any).metadata.name);
  })()
    .catch(() => {})
    .finally(() => (hasEnded = true));
  return { seen, hasEnded: () => hasEnded, stop: () => stop.abort() };
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

test("events of open watches are skipped, frozen, and replaced by the end", async () => {
  const watched = watchNew();
  await pause(100);
  const on = { ...only, resources: ["configmaps"] };
  faults().add({ on, after: 1, times: 1, effect: { type: "skip" } });
  for (const name of ["w1", "w2", "w3"]) await client.create(ConfigMap, map(name));
  await until(() => watched.seen.includes("w3"));
  assert.deepEqual(watched.seen, ["w1", "w3"]);

  const { id } = faults().add({ on, effect: { type: "freeze" } });
  await client.create(ConfigMap, map("w4"));
  await client.create(ConfigMap, map("w5"));
  await pause(50);
  assert.deepEqual(watched.seen, ["w1", "w3"]);
  faults().remove(id);
  await until(() => watched.seen.length === 4);
  assert.deepEqual(watched.seen.slice(2), ["w4", "w5"]);

  faults().add({ on, times: 1, effect: { type: "close" } });
  await client.create(ConfigMap, map("w6"));
  await until(watched.hasEnded);
  assert.deepEqual(watched.seen.slice(4), []);
});

test("over HTTP: with the token, faults are added, counted and removed, and bad ones named", async () => {
  const { url, token } = server.faultsEndpoint!;
  const ask = async (method: string, path: string, body?: unknown, bearer = token) => {
    const headers = { authorization: `Bearer ${bearer}` };
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${url}${path}`, { method, headers, ...init });
    return [answer.status, (await answer.json()) as any] as const;
  };
  assert.equal((await ask("GET", "/faults", undefined, "wrong"))[0], 401);
  const [status, refused] = await ask("POST", "/faults", { effect: { type: "fire" } });
  assert.deepEqual([status, /expected one of error/.test(JSON.stringify(refused))], [400, true]);
  assert.equal((await ask("POST", "/faults", "{"))[0], 400);
  const effect = { type: "error", code: 500 };
  const [made, fault] = await ask("POST", "/faults", { on: only, effect });
  assert.equal(made, 201);
  await assert.rejects(client.create(ConfigMap, map("refused")), /a fault was asked for: 500/);
  const [, { faults: active }] = await ask("GET", "/faults");
  assert.deepEqual([active.length, active[0].hits], [1, 1]);
  assert.deepEqual((await ask("DELETE", `/faults/${fault.id}`))[1], { removed: fault.id });
  assert.equal((await ask("DELETE", `/faults/${fault.id}`))[0], 404);
  assert.equal((await ask("GET", "/nothing"))[0], 404);
  const [, { clients }] = await ask("GET", "/clients");
  const mine = clients.find((one: any) => one.userAgent === "under-test");
  assert.ok(mine.writes > 5 && mine.requests > mine.writes);
  const watched = watchNew();
  await pause(100);
  assert.deepEqual((await ask("POST", "/close-watches", only))[1], { closed: 1 });
  await until(watched.hasEnded);
});

test("a connection over TLS is cut, and named by its address", async () => {
  const folder = mkdtempSync(join(tmpdir(), "faults-"));
  const path = join(folder, "kubeconfig");
  writeFileSync(path, server.kubeconfig);
  const over = createClient({
    access: await loadKubeconfig({ path }),
    userAgent: "over-tls",
  });
  try {
    faults().add({
      on: { userAgent: "over-tls", verbs: ["create"] },
      times: 1,
      effect: { type: "withhold" },
    });
    await assert.rejects(over.create(ConfigMap, map("cut")), /ERR_CLIENT_CONNECTION_LOST/);
    assert.ok(await over.find(ConfigMap, "cut"));
  } finally {
    await over.close();
    rmSync(folder, { recursive: true });
  }
});
