// `when` on the objects that a controller owns and refers to.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, generationChanged, owned, ref, refs } from "homeostat";
import type { Client } from "homeostat/client";
import { Box, describeLaws, Part, sleep } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

const merge = (body: object) => ({ type: "merge" as const, body });
const note = (client: Client, name: string, text: string) =>
  client.patch(Part, name, merge({ metadata: { annotations: { note: text } } }));
const respec = (client: Client, name: string, of: string) =>
  client.patch(Part, name, merge({ spec: { of } }));

describeLaws("predicates", ({ run }) => {
  it("drop updates of owned objects, visibly, and never a loss of ownership", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      owns: [owned(Part, { when: generationChanged })],
      async reconcile({ object, own }) {
        runs++;
        await own(Part, [Part(`${object.metadata.name}-p`, { of: "a" })]);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("a", {}));
      await until(async () => (await client.find(Part, "a-p")) !== undefined && manager.isIdle());
      await sleep(50);
      const before = runs;
      await note(client, "a-p", "dropped");
      const ignored = () =>
        manager.explain(Box, `${client.namespace}/a`)[0]!.queue!.ignored.map(({ what }) => what);
      const dropped = `Part ${client.namespace}/a-p changed, dropped by \`when\``;
      await until(() => ignored().includes(dropped));
      assert.equal(runs, before);
      await respec(client, "a-p", "b");
      await until(async () => (await client.get(Part, "a-p")).spec.of === "a");
      assert.ok(runs > before);
      const { metadata } = await client.get(Part, "a-p");
      await client.patch(Part, "a-p", merge({ metadata: { ownerReferences: null } }));
      const isOwned = async () =>
        (await client.find(Part, "a-p"))?.metadata.ownerReferences !== undefined;
      const seen = runs;
      await until(async () => runs > seen || (await isOwned()));
      await client.delete(Part, "a-p");
      await until(async () => (await client.find(Part, "a-p"))?.metadata.uid !== metadata.uid);
      await until(isOwned);
    });
  });

  it("drop updates of targets by name and by selection, visibly", async () => {
    let runs = 0;
    const controller = defineController(Box, {
      refs: {
        friend: ref(Part, (box) => box.spec.friend, { when: generationChanged }),
        many: refs(Part, () => ({ labels: { many: "yes" } }), {
          when: (old, part) => old.read().spec.of !== part.read().spec.of,
        }),
      },
      async reconcile({ refs: { friend, many }, status }) {
        runs++;
        status({ note: `${friend?.spec.of} ${many.map(({ spec }) => spec.of).join()}` });
      },
    });
    await run([controller], async (client, manager) => {
      const says = (text: string) =>
        until(async () => (await client.get(Box, "a")).status?.note === text);
      await client.create(Part, Part("one", { of: "a" }));
      await client.create(Part, Part({ name: "two", labels: { many: "yes" } }, { of: "a" }));
      await client.create(Box, Box("a", { friend: "one" }));
      await says("a a");
      await until(() => manager.isIdle());
      await sleep(50);
      const before = runs;
      await note(client, "one", "dropped");
      await note(client, "two", "dropped");
      const sources = () =>
        manager
          .explain(Box, `${client.namespace}/a`)[0]!
          .queue!.ignored.filter(({ what }) => what.endsWith("dropped by `when`"))
          .map(({ source }) => source);
      await until(() => sources().includes("ref friend") && sources().includes("ref many"));
      assert.equal(runs, before);
      await respec(client, "one", "b");
      await says("b a");
      await respec(client, "two", "b");
      await says("b b");
      await client.delete(Part, "one");
      await says("undefined b");
    });
  });
});
