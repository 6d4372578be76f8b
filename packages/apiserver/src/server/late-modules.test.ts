// Modules that load when they are first needed: a load that failed (no file descriptor left, say)
// is tried again, and ends neither the request's form nor the process.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createVirtualRuntime } from "homeostat/runtime";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { createKinds } from "./create-kinds.ts";
import { createLateProtobuf } from "./late-protobuf.ts";
import { createTestServer, widgetsPath } from "./testdata/test-server.ts";

const noDescriptors = Object.assign(new Error("EMFILE: too many open files"), { code: "EMFILE" });
const data = readKindData("1.36");

test("a codec that failed to load answers 500 as JSON, and loads with the next request", async () => {
  let failures = 1;
  const protobuf = createLateProtobuf(data, async () => {
    if (failures-- > 0) throw noDescriptors;
    return await import("../protobuf/protobuf-codec.ts");
  });
  const { ask } = await createTestServer({ protobuf });
  const headers = { accept: "application/vnd.kubernetes.protobuf,application/json" };
  const refused = await ask("GET", widgetsPath, undefined, headers);
  assert.deepEqual(
    [refused.status, refused.headers["content-type"], refused.body.kind, refused.body.message],
    [500, "application/json", "Status", "Internal error occurred: EMFILE: too many open files"],
  );
  assert.equal((await ask("GET", widgetsPath, undefined, headers)).status, 200);
});

test("custom resources that failed to load ahead warn, and load with the first definition", async () => {
  let failures = 1;
  let loads = 0;
  const warnings: string[] = [];
  const importCustomKinds = () => {
    loads += 1;
    if (failures-- > 0) throw noDescriptors;
    return { createCustomKinds: () => ({}) } as never;
  };
  const kinds = createKinds({ data, importCustomKinds });
  const runtime = createVirtualRuntime();
  const loopback = async () => ({ status: 200, object: { items: [], metadata: {} } });
  const openWatches = () => () => undefined;
  await kinds.start({ loopback, runtime, openWatches, warn: (message) => warnings.push(message) });
  await runtime.advance(1000);
  assert.deepEqual(
    [loads, warnings],
    [1, ["loading custom resources failed; the next definition tries again"]],
  );
  await kinds.stop();
});
