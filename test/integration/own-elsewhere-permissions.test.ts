// An owner is deleted under rights that are limited to namespaces: its children are looked for
// where the operator may look, and nothing is refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createManager,
  defineController,
  defineResource,
  installDefinitions,
  requiredPermissions,
} from "homeostat";
import { ConfigMap, Namespace } from "homeostat/k8s/core/v1";
import * as z from "zod";
import { recordLog } from "../fixtures/hear-manager.ts";
import { grant, heardServers, judgeRights, openHeardServer } from "../fixtures/rights.ts";
import { until } from "../fixtures/until.ts";

const Shop = defineResource({
  group: "rights.example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({}),
});

/** Keeps a ConfigMap in two other namespaces. */
const shops = defineController(Shop, {
  owns: [ConfigMap],
  permissions: [{ kind: Shop, verbs: ["get", "patch"] }],
  async reconcile({ object: { metadata }, own }) {
    const { name } = metadata;
    await own(ConfigMap, [
      ConfigMap({ name, namespace: "near" }, {}),
      ConfigMap({ name, namespace: "far" }, {}),
    ]);
  },
});

for (const what of heardServers)
  test(`children outside of the namespaces of the rights are not looked for: ${what}`, async (t) => {
    const { admin, client, events } = await openHeardServer(t, what);
    for (const name of ["near", "far"]) await admin.create(Namespace, Namespace(name));
    await installDefinitions(admin, [Shop]);
    const options = { operator: "shop", controllers: [shops] };

    const all = ["default", "near", "far"];
    const before = createManager({
      ...options,
      client: admin,
      namespaces: all,
      log: recordLog().log,
    });
    await before.start();
    await admin.create(Shop, Shop("corner", {}));
    await admin.create(Shop, Shop("market", {}));
    for (const name of ["corner", "market"])
      await until(() => admin.find(ConfigMap, { name, namespace: "far" }));
    await before.stop();

    const namespaces = ["default", "near"];
    const permissions = requiredPermissions({ ...options, namespaces });
    await grant(admin, permissions);
    const { log, lines } = recordLog();
    const now = createManager({ ...options, client, namespaces, log });
    t.after(() => now.stop());
    await now.start();
    for (const name of ["corner", "market"]) {
      await admin.delete(Shop, name);
      await until(async () => (await admin.find(Shop, name)) === undefined);
      assert.equal(await admin.find(ConfigMap, { name, namespace: "near" }), undefined);
      assert.ok(await admin.find(ConfigMap, { name, namespace: "far" }));
    }
    const { refused, borrowed } = judgeRights(permissions, events());
    assert.deepEqual({ refused, borrowed }, { refused: [], borrowed: [] });
    const said = lines.filter((line) => line.includes("are not looked for"));
    assert.equal(said.length, 1, said.join("\n"));
    assert.match(said[0]!, /^info: ConfigMap objects outside of namespaces default, near /);
  });
