// Conflicts with other writers are ordinary and run again soon; a request that names a wrong object
// is a fault, and reported.
import assert from "node:assert/strict";
import { it } from "node:test";
import { defineController, silentLog } from "homeostat";
import { ConfigMap } from "homeostat/k8s/core/v1";
import { Box, describeLaws, Part } from "../fixtures/laws.ts";
import { until } from "../fixtures/until.ts";

function recordLog() {
  const errors: string[] = [];
  const debugs: string[] = [];
  const log = {
    ...silentLog,
    error: (message: string) => void errors.push(message),
    debug: (message: string) => void debugs.push(message),
  };
  return { errors, debugs, log };
}

describeLaws("conflicts", ({ client: openClient, run }) => {
  it("a user's request that names a missing or a wrong object is reported", async () => {
    const { errors, log } = recordLog();
    const controller = defineController(Box, {
      async reconcile({ object, client }) {
        const { name } = object.metadata;
        if (name === "missing") await client.patch(ConfigMap, "absent", { data: { a: "b" } });
        if (name === "wrong")
          await client.patch(ConfigMap, "present", { metadata: { uid: "of-another" } });
        if (name === "place")
          await client.create(ConfigMap, {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { name: "x", namespace: "absent" },
          });
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(ConfigMap, {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "present" },
        });
        for (const name of ["missing", "wrong", "place"]) await client.create(Box, Box(name, {}));
        for (const report of [
          /^failed.*"absent" not found/,
          /^failed.*UID/i,
          /^failed.*namespaces "absent" not found/,
        ])
          await until(() => errors.some((error) => report.test(error)));
      },
      { log },
    );
  });

  it("a stale revision is no fault: the next run follows at once", async () => {
    const { errors, debugs, log } = recordLog();
    const at: number[] = [];
    const controller = defineController(Box, {
      async reconcile({ object, client, status }) {
        at.push(performance.now());
        if (at.length < 4)
          await client.patch(Box, object.metadata.name, {
            metadata: { resourceVersion: "1", labels: { n: String(at.length) } },
          });
        status({ count: 1 });
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("stale", {}));
        await until(async () => (await client.get(Box, "stale")).status?.count === 1);
        assert.deepEqual(errors, []);
        assert.equal(debugs.filter((one) => one.startsWith("trying again")).length, 3);
        assert.ok(at[1]! - at[0]! < 200, `${at[1]! - at[0]!} ms`);
      },
      { log },
    );
  });

  it("conflicts that do not end are reported", async () => {
    const { errors, log } = recordLog();
    const controller = defineController(Box, {
      async reconcile({ object, client }) {
        await client.patch(Box, object.metadata.name, { metadata: { resourceVersion: "1" } });
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("storm", {}));
        await until(() => errors.length > 0);
        assert.match(errors[0]!, /^5 conflicts in a row, another client keeps changing it: /);
      },
      { log },
    );
  });

  it("an object that another one replaces meanwhile is no fault, and gets no status of the old", async () => {
    const { errors, log } = recordLog();
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    let first: string | undefined;
    const controller = defineController(Box, {
      async reconcile({ object, status }) {
        first ??= object.metadata.uid;
        if (object.metadata.uid === first) {
          await held;
          status({ count: 1 });
        } else status({ note: object.metadata.uid });
      },
    });
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("replaced", {}));
        await until(() => first);
        await client.delete(Box, "replaced");
        const { uid } = (await client.create(Box, Box("replaced", {}))).metadata;
        release();
        await until(async () => (await client.get(Box, "replaced")).status?.note === uid);
        assert.equal((await client.get(Box, "replaced")).status.count, undefined);
        assert.deepEqual(errors, []);
      },
      { log },
    );
  });

  it("an owned object that is replaced meanwhile is no fault", async () => {
    const { errors, log } = recordLog();
    let runs = 0;
    const controller = defineController(Box, {
      owns: [Part],
      async reconcile({ object, own, client, status }) {
        const { label } = object.spec;
        if (label === "changed" && runs++ === 0) {
          await client.get(Part, "replaced");
          await deleteOutside();
        }
        await own(Part, [Part("replaced", { of: label ?? "first" })]);
        status({ note: label });
      },
    });
    let deleteOutside = (): Promise<unknown> => Promise.resolve();
    await run(
      [controller],
      async (client) => {
        await client.create(Box, Box("owner", {}));
        const part = await until(() => client.find(Part, "replaced"));
        const other = await openClient();
        const { name, namespace } = part.metadata;
        deleteOutside = () => other.delete(Part, { name, namespace });
        await client.patch(Box, "owner", { type: "merge", body: { spec: { label: "changed" } } });
        await until(async () => (await client.get(Box, "owner")).status?.note === "changed");
        assert.equal((await client.get(Part, "replaced")).spec.of, "changed");
        assert.deepEqual(errors, []);
      },
      { log },
    );
  });
});
