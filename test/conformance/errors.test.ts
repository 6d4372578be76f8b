// The errors of every package, caused through the public API.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { startApiServer } from "@homeostat/apiserver";
import { createManager, defineController, defineResource } from "homeostat";
import { loadKubeconfig } from "homeostat/client";
import { testCluster } from "@homeostat/testing";
import * as z from "zod";
import { errorSuite } from "./error.suite.ts";

const folder = mkdtempSync(join(tmpdir(), "homeostat-errors-"));
after(() => rmSync(folder, { recursive: true, force: true }));
writeFileSync(join(folder, "file"), "");

const thrown = async (run: () => unknown): Promise<unknown> => {
  try {
    await run();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
};
const Box = defineResource({
  group: "errors.example.com",
  version: "v1",
  kind: "Box",
  spec: z.object({}),
});
const boxes = defineController(Box, { async reconcile() {} });

errorSuite("a schema that cannot be served", () =>
  thrown(() =>
    defineResource({
      group: "a.example.com",
      version: "v1",
      kind: "Bad",
      spec: z.object({ a: z.string().refine(() => true) }),
    }),
  ),
);
errorSuite("two controllers of one name", () =>
  thrown(() =>
    createManager({ operator: "x", controllers: [boxes, boxes], client: undefined as never }),
  ),
);
errorSuite("a kubeconfig that is not there", () =>
  thrown(() => loadKubeconfig({ path: join(folder, "nothing") })),
);
errorSuite("a server that cannot write where it should", () =>
  thrown(() =>
    startApiServer({ kubeconfigPath: join(folder, "file", "kubeconfig"), controllers: "none" }),
  ),
);
errorSuite("a condition that never holds", () =>
  thrown(async () => {
    await using cluster = await testCluster({ resources: [Box], controlPlane: "none" });
    await cluster.eventually(Box, "nobody", () => true, { timeoutMs: 20 });
  }),
);
