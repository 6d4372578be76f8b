// What the whole server says where several rooms meet: methods of documents, warnings of kinds on
// their way out.
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { createMemoryStore } from "../storage/memory-store.ts";
import { createControlPlane, type ControlPlane } from "./control-plane.ts";

const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
let core: ControlPlane;
before(async () => {
  core = await createControlPlane({
    store: createMemoryStore(),
    runtime: createVirtualRuntime(),
    tokens: new Map(),
  });
});

const ask = async (method: string, path: string): ReturnType<ControlPlane["handler"]> =>
  await core.handler({ method, path, headers: {}, body: new Uint8Array(), user });

test("OpenAPI is given by any method", async () => {
  for (const path of ["/openapi/v2", "/openapi/v3", "/openapi/v3/api/v1"])
    for (const method of ["GET", "POST", "DELETE"])
      assert.equal((await ask(method, path)).status, 200, `${method} ${path}`);
});

test("warns of a deprecated kind only where the path serves the method", async () => {
  const warned = async (method: string, path: string): Promise<boolean> =>
    JSON.stringify((await ask(method, path)).headers).includes("v1 Endpoints is deprecated");
  const path = "/api/v1/namespaces/default/endpoints";
  assert.deepEqual(
    [
      await warned("GET", path),
      await warned("GET", `${path}/none`),
      await warned("PUT", path),
      await warned("GET", `${path}/none/status`),
    ],
    [true, true, false, false],
  );
});

test("requests of a pod follow from what a LimitRange gives its containers", async () => {
  const space = "/api/v1/namespaces/default";
  const post = async (path: string, body: object): Promise<any> => {
    const bytes = new TextEncoder().encode(JSON.stringify(body));
    const headers = { "content-type": "application/json" };
    const answer = await core.handler({ method: "POST", path, headers, body: bytes, user });
    return JSON.parse(new TextDecoder().decode(answer.body as Uint8Array));
  };
  const requests = { cpu: "100m", memory: "32Mi" };
  await post(`${space}/serviceaccounts`, { metadata: { name: "default" } });
  await post(`${space}/limitranges`, {
    metadata: { name: "l" },
    spec: { limits: [{ type: "Container", defaultRequest: requests }] },
  });
  const requested = async (resources: object | undefined, query = ""): Promise<object> => {
    const containers = [{ name: "c", image: "i" }];
    const pod = { metadata: { generateName: "p" }, spec: { containers, resources } };
    const { spec } = await post(`${space}/pods${query}`, pod);
    assert.deepEqual(spec.containers[0].resources.requests, requests);
    return spec.resources?.requests;
  };
  for (const query of ["", "?dryRun=All"]) {
    assert.deepEqual(await requested({ limits: { cpu: "1" } }, query), {
      cpu: "1",
      memory: "32Mi",
    });
    assert.equal(await requested({}, query), undefined);
    assert.equal(await requested(undefined, query), undefined);
  }
});
