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
