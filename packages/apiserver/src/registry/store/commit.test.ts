import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "homeostat/api";
import type { CoreServices } from "../scope/core-services.ts";
import type { ServedResource } from "../../apimachinery/rest/served-resource.ts";
import { widgets } from "../testdata/widgets.ts";
import { createMemoryStore } from "../../storage/memory-store.ts";
import { parseStored } from "../revisions/stored-json.ts";
import { commitObject } from "./commit.ts";

const limited: ServedResource = { ...widgets, storedSize: "limited" };
const text = (bytes: number): string => "x".repeat(bytes);

function commit(name: string, spec: number, managed: number): ReturnType<typeof commitObject> {
  const core = { store: createMemoryStore() } as unknown as CoreServices;
  const object: JsonObject = {
    kind: "Widget",
    apiVersion: "example.com/v1",
    metadata: { name, uid: "u", managedFields: [{ manager: text(managed) }] },
    spec: { text: text(spec) },
  };
  return commitObject(
    { core, resource: limited },
    `example.com/widgets/home/${name}`,
    undefined,
    object,
  );
}

test("an object too large for etcd loses its managers first", async () => {
  const kept = await commit("a", 1_000_000, 900_000);
  assert.ok(kept !== "conflict");
  assert.equal((parseStored(kept.bytes).metadata as JsonObject).managedFields, undefined);
  const small = await commit("b", 10, 10);
  assert.ok(
    small !== "conflict" &&
      Array.isArray((parseStored(small.bytes).metadata as JsonObject).managedFields),
  );
});

test("and is refused if it is still too large, with etcd's message or its client's", async () => {
  await assert.rejects(commit("a", 1_600_000, 0), { message: "etcdserver: request is too large" });
  await assert.rejects(
    commit("a", 2_200_000, 0),
    /^ApiStatusError: rpc error: code = ResourceExhausted desc = trying to send message larger than max \(22\d+ vs\. 2097152\)$/,
  );
});
