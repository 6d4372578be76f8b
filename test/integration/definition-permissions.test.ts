// The rights of installDefinitions, where a program and not `kubectl apply` installs them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, installDefinitions, isHomeostatError, type PolicyRule } from "homeostat";
import * as z from "zod";
import { grant, heardServers, openHeardServer } from "../fixtures/rights.ts";
import { ClusterRole } from "homeostat/k8s/rbac/v1";

const Shop = defineResource({
  group: "rights.example.com",
  version: "v1",
  kind: "Shop",
  spec: z.object({}),
});
const ruleOf = (verbs: readonly string[]): PolicyRule => ({
  apiGroups: ["apiextensions.k8s.io"],
  resources: ["customresourcedefinitions"],
  verbs,
});

for (const what of heardServers)
  test(`a user that may not install definitions is told what to do: ${what}`, async (t) => {
    const { admin, client } = await openHeardServer(t, what);
    const install = (): Promise<void> => installDefinitions(client, [Shop]);
    const isTold = (verb: string) => (error: unknown) => {
      assert.ok(isHomeostatError(error, "ERR_DEFINITION_FORBIDDEN"));
      assert.match(error.message, /installing .*shops\.rights\.example\.com: this user may not: /);
      assert.match(
        error.message,
        new RegExp(`cannot ${verb} resource "customresourcedefinitions"`),
      );
      assert.match(error.hint, /`homeostat generate` writes \(crds\.yaml\)/);
      assert.match(error.hint, /or grant list, watch, create and patch of/);
      return true;
    };
    await assert.rejects(install(), isTold("patch"));
    await grant(admin, { cluster: [ruleOf(["patch"])], namespaces: {} });
    const allow = (...verbs: readonly string[]) =>
      admin.apply(ClusterRole, ClusterRole("shop", { rules: [ruleOf(verbs) as never] }), {
        force: true,
      });
    await assert.rejects(install(), isTold("create"));
    await allow("patch", "create");
    await assert.rejects(install(), isTold("list"));
    await allow("patch", "create", "list", "watch");
    await install();
  });
