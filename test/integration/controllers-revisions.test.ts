// The history of an object, kept as ControllerRevisions, and the way back.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, keepRevisions, rollBack } from "homeostat";
import { revisionHash } from "homeostat/api";
import type { Client } from "homeostat/client";
import { ControllerRevision } from "homeostat/k8s/apps/v1";
import { Box, describeLaws } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

/** Keeps `parts`; `friend` asks for a roll-back to a number. */
const controller = defineController(Box, {
  owns: [ControllerRevision],
  async reconcile(context) {
    const { object, status } = context;
    const revisions = await keepRevisions(context, { parts: object.spec.parts }, { limit: 2 });
    if (object.spec.friend !== undefined)
      await rollBack(context, revisions, {
        kind: Box,
        to: Number(object.spec.friend),
        restore: ({ spec, ...box }, { parts }) => {
          const { friend: _, ...rest } = spec;
          return { ...box, spec: { ...rest, parts: [...parts] } };
        },
      });
    const { number, name } = revisions.current;
    status({ count: number, note: name, seen: revisions.all.map((one) => `${one.number}`) });
  },
});

describeLaws("revisions", ({ run }) => {
  const revisionsOf = async (client: Client) =>
    (await client.list(ControllerRevision, { namespace: client.namespace })).items
      .toSorted((a, b) => a.revision - b.revision)
      .map(({ revision, data }) => [revision, (data as { parts: string[] }).parts.join()]);
  const spec = (client: Client, body: object) =>
    client.patch(Box, "b", { type: "merge", body: { spec: body } });
  const reaches = (client: Client, count: number) =>
    until(async () => (await client.get(Box, "b")).status?.count === count);

  it("numbers states as they come, keeps a limited number, and rolls back", async () => {
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["one"] }));
      await reaches(client, 1);
      const [first] = (await client.list(ControllerRevision, { namespace: client.namespace }))
        .items;
      const hash = revisionHash({ parts: ["one"] }, 0);
      assert.equal(first!.metadata.name, `b-${hash}`);
      assert.equal(first!.metadata.labels?.["controller.kubernetes.io/hash"], hash);
      assert.equal(first!.metadata.ownerReferences?.[0]?.controller, true);
      await spec(client, { label: "of no concern" });
      await until(() => manager.isIdle());
      assert.deepEqual(await revisionsOf(client), [[1, "one"]]);

      await spec(client, { parts: ["two"] });
      await reaches(client, 2);
      await spec(client, { friend: "0" });
      await reaches(client, 3);
      const { spec: restored } = await client.get(Box, "b");
      assert.deepEqual(restored.parts, ["one"]);
      assert.equal(restored.friend, undefined);
      assert.deepEqual(await revisionsOf(client), [
        [2, "two"],
        [3, "one"],
      ]);

      await spec(client, { parts: ["three"] });
      await reaches(client, 4);
      await spec(client, { parts: ["four"] });
      await reaches(client, 5);
      await until(() => manager.isIdle());
      assert.deepEqual(await revisionsOf(client), [
        [3, "one"],
        [4, "three"],
        [5, "four"],
      ]);
      assert.deepEqual((await client.get(Box, "b")).status?.seen, ["3", "4", "5"]);
      await spec(client, { friend: "3" });
      await reaches(client, 6);
      assert.deepEqual((await client.get(Box, "b")).spec.parts, ["one"]);
    });
  });

  it("a roll-back to a revision that is not there stalls, and names those that are", async () => {
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("b", { parts: ["one"], friend: "7" }));
      const progress = await until(() => {
        const found = manager.states()[0]?.progress;
        return found?.at === "stalled" && found;
      });
      assert.match(progress.because, /there is no revision 7; it has 1/);
    });
  });

  it("a name that is taken leads to the next hash, as it does upstream", async () => {
    await run([controller], async (client) => {
      const name = (collisions: number): string =>
        `b-${revisionHash({ parts: ["one"] }, collisions)}`;
      const taken = { metadata: { name: name(0) }, revision: 1, data: { other: true } };
      await client.create(ControllerRevision, taken);
      await client.create(Box, Box("b", { parts: ["one"] }));
      await reaches(client, 1);
      assert.equal((await client.get(Box, "b")).status?.note, name(1));
    });
  });
});
