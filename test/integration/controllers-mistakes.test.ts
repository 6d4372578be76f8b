// Common mistakes in controllers: each is reported by name and has no other effect.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, ref, silentLog } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

describeLaws("mistakes", ({ run }) => {
  it("an own() that is not awaited is reported and has no other effect", async () => {
    const controller = defineController(Box, {
      owns: [Part],
      reconcile({ object, own }) {
        void own(Part, [Part(`${object.metadata.name}_BAD`, { of: "x" })]);
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("careless", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(
        JSON.stringify(state.progress),
        /ERR_NOT_AWAITED: own\(Part, …\) of Box .* was not awaited.*write `await` in front of it/,
      );
    });
  });

  it("a throwing `changed` callback is reported and has no other effect", async () => {
    const errors: string[] = [];
    const controller = defineController(Box, {
      async reconcile({ status }) {
        status({ count: 1 });
      },
    });
    const options = {
      changed: () => {
        throw new Error("ouch");
      },
      log: { ...silentLog, error: (message: string) => void errors.push(message) },
    };
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("watched", {}));
        await until(async () => (await client.get(Box, "watched")).status?.count === 1);
        assert.match(errors[0]!, /`changed` callback threw/);
      },
      options,
    );
  });

  it("a reference out of the namespace that is watched is an error, not a wait", async () => {
    const controller = defineController(Box, {
      refs: { boss: ref(ConfigMap, () => ({ namespace: "kube-system", name: "boss" })) },
      async reconcile({ wait }) {
        return wait.forRef("boss");
      },
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("far", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(JSON.stringify(state.progress), /ERR_REF_NAMESPACE/);
    });
  });

  it("a reconcile that returns another framework's result gets an error that says so", async () => {
    const controller = defineController(Box, {
      reconcile: (async () => ({ requeueAfter: 5 })) as never,
    });
    await run([controller], async (client, manager) => {
      await client.create(Box, Box("wrong", {}));
      const state = await until(() =>
        manager.states().find((one) => one.progress.at === "retrying"),
      );
      assert.match(JSON.stringify(state.progress), /ERR_RECONCILE_RESULT/);
    });
  });
});
