import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import { defineSignal } from "./define-signal.ts";
import type { SignalCarrier, SignalContext } from "./signal.ts";

const on = { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope: "Namespaced" } as Kind;

async function requests(
  carrier: SignalCarrier,
  metadata: object,
  write: "set" | "clear",
): Promise<readonly unknown[]> {
  const sent: unknown[] = [];
  const client = {
    apply: async (_: Kind, manifest: object, options: object) => sent.push([manifest, options]),
    patch: async (_: Kind, address: unknown, body: object) => sent.push([address, body]),
  };
  const object = { metadata: { name: "a", namespace: "ns", uid: "u", ...metadata } };
  const context = { object, client, condition() {} } as unknown as SignalContext;
  const names = { name: "full", on, setBy: ["a"], clearedBy: ["b"] };
  await defineSignal({ ...names, carrier: carrier as never })[write](context, object);
  return sent;
}

const key = "x.com/full";

it("sends nothing when nothing changes", async () => {
  for (const [carrier, metadata] of [
    [{ annotation: key }, { annotations: { [key]: "true" } }],
    [{ label: key }, { labels: { [key]: "true" } }],
    [{ finalizer: key }, { finalizers: [key] }],
  ] as const) {
    assert.deepEqual(await requests(carrier, metadata, "set"), []);
    assert.deepEqual(await requests(carrier, {}, "clear"), []);
    assert.equal((await requests(carrier, {}, "set")).length, 1);
    assert.equal((await requests(carrier, metadata, "clear")).length, 1);
  }
});

it("names the object by its uid, so that no other is written or made", async () => {
  const address = { name: "a", namespace: "ns" };
  const metadata = { ...address, uid: "u", annotations: { [key]: "true" } };
  assert.deepEqual(await requests({ annotation: key }, {}, "set"), [
    [{ apiVersion: "x/v1", kind: "Box", metadata }, { set: "signal.full" }],
  ]);
  assert.deepEqual(await requests({ label: key }, { labels: { [key]: "true" } }, "clear"), [
    [address, { metadata: { uid: "u", labels: { [key]: null } } }],
  ]);
  const finalizers = { finalizers: ["other"], resourceVersion: "7" };
  assert.deepEqual(await requests({ finalizer: key }, finalizers, "set"), [
    [address, { metadata: { uid: "u", resourceVersion: "7", finalizers: ["other", key] } }],
  ]);
});
