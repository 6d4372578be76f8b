// The scanner agrees with JSON.parse wherever it answers at all, and says so where it does not.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scanMetadata } from "./scan-metadata.ts";

const encode = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));

describe("scanMetadata", () => {
  it("reads an object as API servers write it", () => {
    const scanned = scanMetadata(
      encode({
        kind: "Pod",
        apiVersion: "v1",
        metadata: {
          name: "a",
          namespace: "b",
          uid: "u",
          resourceVersion: "12",
          generation: 34,
          deletionTimestamp: "2026-01-01T00:00:00Z",
          labels: { "metadata": '}"{' },
          managedFields: [],
        },
        spec: { metadata: { name: "wrong" } },
      }),
    )!;
    const { name, namespace, uid, resourceVersion, generation, deleting } = scanned;
    assert.deepEqual(
      { name, namespace, uid, resourceVersion, generation, deleting },
      {
        name: "a",
        namespace: "b",
        uid: "u",
        resourceVersion: "12",
        generation: 34,
        deleting: true,
      },
    );
  });

  it("treats null as absent", () => {
    const scanned = scanMetadata(
      encode('{"metadata":{"name":"a","creationTimestamp":null,"deletionTimestamp":null}}'),
    )!;
    assert.equal(scanned.deleting, false);
    assert.equal(scanned.uid, "");
  });

  it("refuses ambiguous input", () => {
    for (const text of [
      '{ "metadata":{"name":"a"}}',
      '{"metadata": {"name":"a"}}',
      '{"meta\\u0064ata":{"name":"a"}}',
      '{"metadata":{"n\\u0061me":"a"}}',
      '{"metadata":{}}',
      '{"spec":{}}',
      '{"metadata":{"name":"a"',
      "[]",
      "",
    ]) {
      assert.equal(scanMetadata(encode(text)), undefined, text);
    }
  });

  it("agrees with JSON.parse on any object", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const metadata = fc.record(
      {
        name: fc.string({ unit: "binary", minLength: 1 }),
        namespace: text,
        uid: text,
        resourceVersion: text,
        labels: fc.dictionary(text, text),
        generation: fc.nat(),
      },
      { requiredKeys: ["name"] },
    );
    const filler = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(metadata, filler, filler, (meta, before, after) => {
        const bytes = encode({ before, metadata: meta, after });
        const scanned = scanMetadata(bytes);
        if (!scanned) return;
        const parsed = (JSON.parse(new TextDecoder().decode(bytes)) as { metadata: typeof meta })
          .metadata;
        assert.equal(scanned.name, parsed.name);
        assert.equal(scanned.namespace, parsed.namespace ?? "");
        assert.equal(scanned.resourceVersion, parsed.resourceVersion ?? "");
        assert.equal(scanned.generation, parsed.generation ?? 0);
        if (scanned.labels)
          assert.deepEqual(
            JSON.parse(
              new TextDecoder().decode(bytes.subarray(scanned.labels.start, scanned.labels.end)),
            ),
            parsed.labels,
          );
      }),
    );
  });
});
