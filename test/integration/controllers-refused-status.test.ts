// A status that the server refuses: what the object shows of it, and what is shown beside it.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, installDefinitions, terminal } from "homeostat";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("refused status", ({ client: open, run }) => {
  it("does not keep the conditions of the failure from the object", async () => {
    const controller = defineController(Box, {
      async reconcile({ status }) {
        status({ count: "many" as never });
        throw terminal("it is hopeless");
      },
    });
    await run([controller], async (client) => {
      await client.create(Box, Box("b", {}));
      const stalled = await until(async () => {
        const { conditions = [] } = (await client.get(Box, "b")).status;
        return conditions.find(({ type }) => (type as string) === "Stalled");
      });
      assert.match(stalled.message, /it is hopeless/);
      assert.equal((await client.get(Box, "b")).status.count, undefined);
    });
  });

  it("of discovery, what was installed is known at once", async () => {
    const client = await open();
    const before = await client.kinds.all();
    await installDefinitions(client, [Box, Part]);
    assert.notEqual(await client.kinds.all(), before, "it is asked for again");
  });
});
