// A short run of tools/proofs/mutated-requests.ts: malformed requests to a server in this process.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { openServer } from "../fixtures/with-server.ts";
import { createChance } from "../fixtures/mutated-requests/chance.ts";
import {
  createHostileHooks,
  forbiddenState,
  guardService,
  limitedUser,
  placeGuards,
} from "../fixtures/mutated-requests/guards.ts";
import { spoil, writeJson } from "../fixtures/mutated-requests/hostile-value.ts";
import { ask, gatherMaterial, storm } from "../fixtures/mutated-requests/storm.ts";

const post = (path: string, text: string, method = "POST") => ({
  method,
  path,
  headers: { "content-type": "application/json" },
  body: new TextEncoder().encode(text),
});

/** A definition that is right but for its rule. */
const ruledBy = (rule: string): object => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "things.ruled.example" },
  spec: {
    group: "ruled.example",
    scope: "Namespaced",
    names: { plural: "things", kind: "Thing" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-validations": [{ rule }] } },
      },
    ],
  },
});

describe("mutated requests", { timeout: 60_000 }, () => {
  it("are all answered, and the server keeps working", async (t) => {
    const server = await openServer("in-process");
    t.after(() => server.close());
    const transport = server.embedded!.transport();
    const { findings, statuses } = await storm(transport, await gatherMaterial(transport), {
      seed: 7,
      requests: 1_000,
    });
    assert.deepEqual(findings, []);
    assert.ok((statuses[201] ?? 0) > 0, "some get through");
    const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "after-" } };
    assert.equal(
      (await ask(transport, post("/api/v1/namespaces/default/configmaps", JSON.stringify(body))))
        .status,
      201,
    );
  });

  it("are all answered where roles, policies and webhooks decide, and write nothing without a right", async (t) => {
    const server = await startApiServer({
      listen: false,
      controllers: "none",
      serviceLocations: new Map([[guardService, createHostileHooks(createChance(7))]]),
    });
    t.after(() => server.close());
    const transport = server.transport();
    const material = await gatherMaterial(transport);
    await placeGuards(transport);
    const before = await forbiddenState(transport);
    const options = { seed: 8, requests: 300 };
    const asLimited = await storm(server.transport(limitedUser), material, options);
    assert.equal(await forbiddenState(transport), before);
    const asAdministrator = await storm(transport, material, options);
    assert.deepEqual([...asLimited.findings, ...asAdministrator.findings], []);
    assert.ok((asLimited.statuses[403] ?? 0) > (asAdministrator.statuses[403] ?? 0));
  });

  it("no longer cause the internal errors that they once did", async (t) => {
    const server = await openServer("in-process");
    t.after(() => server.close());
    const transport = server.embedded!.transport();
    const status = async (request: Parameters<typeof ask>[1]): Promise<number> =>
      (await ask(transport, request)).status;
    const configMaps = "/api/v1/namespaces/default/configmaps";
    const nested = (depth: number): Promise<number> =>
      status(post(configMaps, '{"a":'.repeat(depth) + "1" + "}".repeat(depth)));
    // As deep as a decoder goes, an unknown field is left out, and the name is what is missing.
    for (const depth of [3_000, 9_000])
      assert.equal(await nested(depth), 422, `nested ${depth} deep`);
    for (const depth of [10_001, 100_000])
      assert.equal(await nested(depth), 400, `nested ${depth} deep`);
    assert.equal(
      await status(post(configMaps, '{"apiVersion":"__proto__","kind":"ConfigMap"}')),
      400,
    );
    assert.equal(
      await status(
        post(`${configMaps}/kube-root-ca.crt`, '{"gracePeriodSeconds":1e999}', "DELETE"),
      ),
      400,
    );
    assert.equal(
      await status(
        post(
          "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
          JSON.stringify(ruledBy(`${"1+".repeat(5_000)}1 > 0`)),
        ),
      ),
      422,
    );
  });

  it("are the same for the same seed, and written raw where they must be", () => {
    const one = (): string => writeJson(spoil({ a: { b: [1, 2] } }, createChance(3)));
    assert.equal(one(), one());
    assert.equal(writeJson({ a: { __raw: "1e999" } }), '{"a":1e999}');
  });
});
