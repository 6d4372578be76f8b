import assert from "node:assert/strict";
import { it } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../api/object-meta.ts";
import { observeMetadata } from "./observe-metadata.ts";

const object = {
  apiVersion: "v1",
  kind: "Box",
  metadata: { name: "a", labels: { app: "x", tier: "y" }, annotations: { note: "z" } },
  spec: { size: 1 },
} as unknown as KubeObject;

async function play(
  read: (metadata: any, whole: KubeObject) => unknown,
): Promise<readonly string[]> {
  const seen: string[] = [];
  const observed = observeMetadata(object, (field, key) => void seen.push(`${field} ${key}`));
  read(observed.metadata, observed);
  await Promise.resolve();
  return seen;
}

it("notices each read by name, also of a key that is missing", async () => {
  assert.deepEqual(await play(({ labels }) => labels.app), ["labels app"]);
  assert.deepEqual(await play(({ annotations: { other } }) => other as unknown), [
    "annotations other",
  ]);
  assert.deepEqual(await play(({ labels }) => "tier" in labels), ["labels tier"]);
  assert.deepEqual(await play(({ labels }) => Object.hasOwn(labels as object, "tier")), [
    "labels tier",
  ]);
  assert.deepEqual(await play(({ labels }) => ({ ...labels }).app === labels.app), ["labels app"]);
});

it("does not notice copies, comparisons, loops and other fields", async () => {
  const reads: readonly ((metadata: any, whole: KubeObject) => unknown)[] = [
    ({ labels }) => ({ ...labels }) as unknown,
    ({ labels }) => Object.entries(labels as object),
    ({ labels }) => JSON.stringify(labels),
    ({ labels }) => isDeepStrictEqual(labels, { app: "x", tier: "y" }),
    ({ labels }) => `${labels}`,
    ({ name, uid, labels }) => [name, uid, labels],
    (_, whole) => JSON.stringify(whole),
    (_, whole) => ({ ...whole, metadata: { ...whole.metadata } }),
    (_, whole) => Promise.resolve(whole.metadata.labels),
    ({ labels }) => assert.throws(() => assert.deepEqual(labels, { app: "other" })),
    ({ labels }) => assert.throws(() => assert.deepStrictEqual(labels, {})),
    ({ labels }) => inspect(labels),
    ({ labels }) => {
      const keys = Object.keys(labels as object);
      return keys.filter((key) => labels[key]).map((key) => `${key}=${labels[key]}${labels[key]}`);
    },
  ];
  for (const read of reads) assert.deepEqual(await play(read), [], String(read));
});

it("notices a read by name after a loop over all keys, and a label named as a probe", async () => {
  assert.deepEqual(
    await play(({ labels }) => {
      const keys = Object.keys(labels as object);
      return [...keys.map((key) => `${labels[key]}${labels[key]}`), labels.tier];
    }),
    ["labels tier"],
  );
  const stacked = { ...object, metadata: { ...object.metadata, labels: { stack: "blue" } } };
  const seen: string[] = [];
  const observed = observeMetadata(stacked, (_, key) => void seen.push(key));
  assert.equal(observed.metadata.labels?.["stack"], "blue");
  assert.deepEqual(seen, ["stack"]);
});

it("reads as the object itself, and stays frozen", () => {
  const read = (): void => {};
  assert.deepEqual({ ...observeMetadata(object, read) }, object);
  assert.equal(JSON.stringify(observeMetadata(object, read)), JSON.stringify(object));
  const frozen = Object.freeze({ ...object, metadata: Object.freeze({ ...object.metadata }) });
  const observed = observeMetadata(frozen as KubeObject, read);
  assert.ok(Object.isFrozen(observed) && Object.isFrozen(observed.metadata));
  const { metadata } = observed;
  assert.equal(observed.metadata, metadata, "the same each time");
  assert.equal(metadata.labels, metadata.labels);
});
