// Ordered sets of own(): these before those once they are ready, and the other way around when they
// are deleted.
import assert from "node:assert/strict";
import { it } from "node:test";
import { type Context, defineController, type Manager } from "homeostat";
import type { Client } from "homeostat/client";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const ready = { ready: (part: { status?: { made?: boolean } }) => part.status?.made === true };
const part = (name: string, of: string) => Part(name, { of });

/** A box owns the parts named `<order>…`, e.g. `1db`, in a set for each order; 0 is for none. */
async function ownInOrder(
  { object, own, status }: Context<typeof Box, typeof Part>,
  orders: readonly number[] = [0, 1, 2],
): Promise<void> {
  const seen: string[] = [];
  for (const order of orders) {
    const names = object.spec.parts.filter((name) => name.startsWith(`${order}`));
    const manifests = names.map((name) => part(name.slice(1), object.spec.label ?? "first"));
    const set = `s${order}`;
    const found = await own(Part, manifests, order === 0 ? { set } : { set, order, ...ready });
    seen.push(...found.map(({ metadata }) => metadata.name));
  }
  status({ seen });
}

const ordered = defineController(Box, {
  owns: [Part],
  reconcile: (context) => ownInOrder(context),
});

const made = (client: Client, name: string, value = true) =>
  client.patch(
    Part,
    name,
    { type: "merge", body: { status: { made: value } } },
    { subresource: "status" },
  );
const spec = (client: Client, body: object) =>
  client.patch(Box, "b", { type: "merge", body: { spec: body } });
const waitsFor = (manager: Manager, what: string) =>
  until(() => {
    const progress = manager.states().find(({ key }) => key.endsWith("/b"))?.progress;
    return progress?.at === "waiting" && progress.what === what;
  });
const isDone = (manager: Manager) =>
  until(() => manager.states().find(({ key }) => key.endsWith("/b"))?.progress.at === "done");
const namesOf = async (client: Client) =>
  (await client.list(Part, { namespace: client.namespace })).items
    .map(({ metadata }) => metadata.name)
    .toSorted();

describeLaws("ordered sets", ({ run }) => {
  it("objects are applied once those before them are ready", async () => {
    await run([ordered], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["1db", "1cache", "2app"] }));
      await waitsFor(manager, "Part db to be ready, Part cache to be ready");
      assert.deepEqual((await client.get(Box, "b")).status?.seen, ["db", "cache"]);
      await made(client, "db");
      await waitsFor(manager, "Part cache to be ready");
      assert.deepEqual(await namesOf(client), ["cache", "db"]);
      await made(client, "cache");
      await until(() => client.find(Part, "app"));
      await isDone(manager);
      assert.deepEqual((await client.get(Box, "b")).status?.seen, ["db", "cache", "app"]);
    });
  });

  it("objects of a set that is held are neither changed nor deleted", async () => {
    await run([ordered], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["1db", "2app", "2old"] }));
      await until(() => client.find(Part, "db"));
      await made(client, "db");
      await until(() => client.find(Part, "app"));
      await made(client, "db", false);
      await waitsFor(manager, "Part db to be ready");
      await spec(client, { parts: ["1db", "2app"], label: "second" });
      await until(async () => (await client.get(Part, "db")).spec.of === "second");
      await until(() => manager.isIdle());
      assert.equal((await client.get(Part, "app")).spec.of, "first");
      assert.ok(await client.find(Part, "old"));
      assert.deepEqual((await client.get(Box, "b")).status?.seen, ["db", "app"]);
      await made(client, "db");
      await until(async () => (await client.get(Part, "app")).spec.of === "second");
      await until(async () => (await client.find(Part, "old")) === undefined);
    });
  });

  it("objects are deleted once those after them are gone", async () => {
    await run([ordered], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["1db", "2app"] }));
      await until(() => client.find(Part, "db"));
      await made(client, "db");
      await until(() => client.find(Part, "app"));
      const keep = { metadata: { finalizers: ["example.com/slow"] } };
      await client.patch(Part, "app", { type: "merge", body: keep });
      await spec(client, { parts: [] });
      await waitsFor(manager, "Part app to be gone");
      assert.ok((await client.get(Part, "app")).metadata.deletionTimestamp);
      assert.equal((await client.get(Part, "db")).metadata.deletionTimestamp, undefined);
      const release = { metadata: { finalizers: null } };
      await client.patch(Part, "app", { type: "merge", body: release });
      await until(async () => (await namesOf(client)).length === 0);
      await isDone(manager);
    });
  });

  it("objects are deleted at once when nothing keeps those after them", async () => {
    await run([ordered], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["1db", "2app"] }));
      await until(() => client.find(Part, "db"));
      await made(client, "db");
      await until(() => client.find(Part, "app"));
      await spec(client, { parts: [] });
      await until(async () => (await namesOf(client)).length === 0);
      await isDone(manager);
    });
  });

  it("an object is replaced once those after it are ready without it", async () => {
    await run([ordered], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["1v1", "2app"] }));
      await until(() => client.find(Part, "v1"));
      await made(client, "v1");
      await until(() => client.find(Part, "app"));
      await spec(client, { parts: ["1v2", "2app"], label: "second" });
      await waitsFor(manager, "Part v2 to be ready");
      assert.ok(await client.find(Part, "v1"));
      await made(client, "v2");
      await until(async () => (await client.get(Part, "app")).spec.of === "second");
      await waitsFor(manager, "Part app to be ready");
      assert.ok(await client.find(Part, "v1"), "the app may still need it");
      await made(client, "app");
      await until(async () => (await client.find(Part, "v1")) === undefined);
      await isDone(manager);
    });
  });

  for (const from of ["0", "1"])
    it(`an object that moves from set ${from} to a set that is held lives on`, async () => {
      await run([ordered], async (client, manager) => {
        await client.create(Box, Box("b", { parts: ["1db", `${from}moving`] }));
        const { uid } = (await until(() => client.find(Part, "moving"))).metadata;
        await made(client, "moving");
        await spec(client, { parts: ["1db", "2moving"] });
        await waitsFor(manager, "Part db to be ready");
        await until(() => manager.isIdle());
        await made(client, "db");
        await isDone(manager);
        const moved = await client.get(Part, "moving");
        assert.equal(moved.metadata.uid, uid);
        assert.match(JSON.stringify(moved.metadata), /laws\/box\/s2/);
      });
    });

  it("refuses a lower order after a higher one, and the other way around in finalize", async () => {
    let inFinalize: readonly number[] = [1, 2];
    let orders: readonly number[] = [2, 1];
    const controller = defineController(Box, {
      owns: [Part],
      reconcile: (context) => ownInOrder(context, orders),
      async finalize({ own }) {
        for (const order of inFinalize) await own(Part, [], { set: `s${order}`, order });
      },
    });
    await run([controller], async (client, manager) => {
      const failsWith = (text: RegExp) =>
        until(() => text.test(JSON.stringify(manager.states().map(({ progress }) => progress))));
      await client.create(Box, Box("b", { parts: ["1db", "2app"] }));
      await failsWith(/ERR_OWN_ORDER: .*order 1 comes after order 2/);
      orders = [1, 2];
      await until(() => client.find(Part, "db"));
      await until(() => client.find(Part, "app"));
      await made(client, "db");
      const keep = { metadata: { finalizers: ["example.com/slow"] } };
      await client.patch(Part, "app", { type: "merge", body: keep });
      inFinalize = [2, 1];
      await client.delete(Box, "b");
      await waitsFor(manager, "Part app to be gone");
      assert.equal((await client.get(Part, "db")).metadata.deletionTimestamp, undefined);
      await client.patch(Part, "app", { type: "merge", body: { metadata: { finalizers: null } } });
      await until(async () => (await client.find(Box, "b")) === undefined);
      await sleep(0);
    });
  });
});
