// What a cached object is: facts without parsing, a text without other managers' fields, exact
// numbers.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toEntry } from "./cached-entry.ts";
import { entryShape } from "./entry-shape.suite.ts";
import { ParsedObjects } from "./parsed-objects.ts";

const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const entry = (manager: string): object => ({
  apiVersion: "v1",
  fieldsType: "FieldsV1",
  fieldsV1: { 'k:{"name":"x"}': { "f:]}": {} } },
  manager,
  operation: "Apply",
});

describe("toEntry", () => {
  it("fills in apiVersion and kind, which list items lack", () => {
    assert.deepEqual(toEntry(encode({ metadata: { name: "a" } }), entryShape()).read(), {
      apiVersion: "v1",
      kind: "Thing",
      metadata: { name: "a" },
    });
  });

  it("fills in a status for resources whose types promise one, without storing it", () => {
    const bytes = encode({ metadata: { name: "a" } });
    const plain = toEntry(bytes, entryShape());
    const promised = toEntry(bytes, entryShape({ promisesStatus: true }));
    assert.deepEqual([plain.read().status, promised.read().status], [undefined, {}]);
    assert.equal(promised.size, plain.size);
    const empty = encode({ metadata: { name: "a" }, status: null });
    const shape = entryShape({ promisesStatus: true });
    assert.deepEqual(toEntry(empty, shape).read().status, {});
    assert.deepEqual(
      toEntry(
        encode({ metadata: { name: "a" }, status: { ready: true } }),
        entryShape({ promisesStatus: true }),
      ).read().status,
      { ready: true },
    );
  });

  it("parses once as long as it is kept, and is matched once for each revision", () => {
    let matched = 0;
    const match = () => (matched++, undefined);
    const kept = toEntry(encode({ metadata: { name: "a" } }), entryShape({ match }));
    const object = kept.read();
    assert.equal(kept.read(), object);
    kept.dropParsed();
    assert.notEqual(kept.read(), object);
    assert.equal(matched, 1);
  });

  it("cuts managedFields wherever they stand", () => {
    const fields = [entry("one"), entry("two")];
    for (const metadata of [
      { managedFields: fields },
      { managedFields: fields, name: "a" },
      { name: "a", managedFields: fields },
      { name: "a", managedFields: fields, uid: "u" },
    ]) {
      const { managedFields: _, ...rest } = { name: "a", ...metadata };
      const read = toEntry(
        encode({ kind: "Thing", apiVersion: "v1", metadata: { name: "a", ...metadata }, spec: {} }),
        entryShape(),
      ).read();
      assert.deepEqual(read, { kind: "Thing", apiVersion: "v1", metadata: rest, spec: {} });
    }
  });

  it("keeps the operator's own managers", () => {
    const bytes = encode({
      metadata: {
        name: "a",
        managedFields: [entry("kubectl"), entry("kitchen/orders"), entry("kitchen/meals")],
      },
    });
    const read = toEntry(
      bytes,
      entryShape({ keepManager: (manager) => manager.startsWith("kitchen/") }),
    ).read();
    assert.deepEqual(read.metadata.managedFields, [
      entry("kitchen/orders"),
      entry("kitchen/meals"),
    ]);
  });

  it("keeps all managers of a contested object", () => {
    const managedFields = [entry("kubectl"), entry("kitchen/orders")];
    const [contested, other] = ["a", "b"].map((name) =>
      toEntry(
        encode({ metadata: { name, namespace: "ns", managedFields } }),
        entryShape({ isContested: (key) => key === "ns/a" }),
      ).read(),
    );
    assert.deepEqual(contested.metadata.managedFields, managedFields);
    assert.equal(other.metadata.managedFields, undefined);
  });

  it("keeps integers beyond 2^53 and unknown fields as they are", () => {
    const read = toEntry(
      encode(
        '{"metadata":{"name":"a"},"spec":{"big":9007199254740993,"at":"2026-01-01T00:00:00.123456Z"}}',
      ),
      entryShape(),
    ).read();
    assert.deepEqual(read.spec, { big: 9007199254740993n, at: "2026-01-01T00:00:00.123456Z" });
  });

  it("knows owners, generation and deletion without parsing", () => {
    const parsedObjects = new ParsedObjects({ objects: 100, bytes: 1e6 });
    const made = toEntry(
      encode({
        metadata: {
          name: "a",
          namespace: "b",
          generation: 3,
          ownerReferences: [
            { kind: "X", uid: "1" },
            { kind: "Y", uid: "2" },
          ],
        },
      }),
      entryShape({ parsedObjects }),
    );
    assert.deepEqual(
      [made.key, made.generation, made.deleting, made.ownerUids, made.parsed],
      ["b/a", 3, false, ["1", "2"], false],
    );
  });

  it("reads JSON that is not compact", () => {
    assert.equal(
      toEntry(encode('{ "metadata": { "name": "a", "resourceVersion": "7" } }'), entryShape())
        .resourceVersion,
      "7",
    );
  });

  it("refuses a value that is no object, and shows it", () => {
    assert.throws(
      () => toEntry(encode('{"hello":1}'), entryShape()),
      /ERR_CACHE_OBJECT.*Thing.*hello/,
    );
  });

  it("freezes in depth when asked", () => {
    const read = toEntry(
      encode({ metadata: { name: "a" }, spec: { list: [{ x: 1 }] } }),
      entryShape(),
    ).read();
    assert.throws(() => (read.spec.list[0].x = 2), TypeError);
  });

  it("holds no more parsed objects than allowed, oldest first", () => {
    const parsedObjects = new ParsedObjects({ objects: 2, bytes: 1e6 });
    const made = ["a", "b", "c"].map((name) =>
      toEntry(encode({ metadata: { name } }), entryShape({ parsedObjects })),
    );
    for (const each of made) each.read();
    assert.deepEqual(
      made.map((each) => each.parsed),
      [false, true, true],
    );
    assert.equal(made[0]!.read().metadata.name, "a");
  });

  it("holds the projection only", () => {
    const project = ({ metadata }: { metadata: object }): object => ({
      metadata,
      spec: { kept: true },
    });
    assert.deepEqual(
      toEntry(
        encode({ metadata: { name: "a" }, data: "x".repeat(100) }),
        entryShape({ project }),
      ).read(),
      {
        apiVersion: "v1",
        kind: "Thing",
        metadata: { name: "a" },
        spec: { kept: true },
      },
    );
  });
});
