import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { isApiStatusError, type JsonObject } from "homeostat/api";
import { readKindData } from "../apimachinery/kind-data/read-kind-data.ts";
import { openEnvelope, sealEnvelope } from "./envelope.ts";
import { createProtobufCodec, encodeWatchFrame } from "./protobuf-codec.ts";
import { WireWriter } from "./wire-writer.ts";

const codec = createProtobufCodec(readKindData("1.36"));
const lease = { group: "coordination.k8s.io", version: "v1", kind: "Lease" };
const configMap = { group: "", version: "v1", kind: "ConfigMap" };

function write(fill: (writer: WireWriter) => void): Uint8Array {
  const writer = new WireWriter();
  fill(writer);
  return writer.finish();
}

const meta = (name: string): Uint8Array => write((w) => w.nested(1, () => w.string(1, name)));
const body = (apiVersion: string, kind: string, raw: Uint8Array): Uint8Array =>
  sealEnvelope({ apiVersion, kind, raw });
const again = (object: JsonObject): JsonObject => codec.decode(codec.encode(object)!, lease).object;

describe("reading", () => {
  test("a minimal object gets the members that Go writes, and no others", () => {
    assert.deepEqual(codec.decode(body("v1", "ConfigMap", meta("a")), configMap), {
      apiVersion: "v1",
      kind: "ConfigMap",
      object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
    });
    const deployment = codec.decode(body("apps/v1", "Deployment", meta("d")), configMap).object;
    assert.deepEqual(deployment["spec"], {
      selector: null,
      template: { metadata: {}, spec: { containers: null } },
      strategy: {},
    });
  });

  test("fields that the envelope omits come from the endpoint", () => {
    assert.equal(
      codec.decode(body("", "", meta("l")), lease).object["apiVersion"],
      "coordination.k8s.io/v1",
    );
  });

  test("fields without a meaning are passed over", () => {
    const raw = write((w) => {
      w.varint(500, 3);
      w.double(501, 1.5);
      w.string(502, "x");
      w.raw(meta("a"));
    });
    assert.deepEqual(codec.decode(body("v1", "ConfigMap", raw), configMap).object["metadata"], {
      name: "a",
    });
  });

  test("options come in any group's name", () => {
    const raw = write((w) => w.string(4, "Foreground"));
    assert.deepEqual(
      codec.decode(body("coordination.k8s.io/v1", "DeleteOptions", raw), lease).object,
      {
        apiVersion: "coordination.k8s.io/v1",
        kind: "DeleteOptions",
        propagationPolicy: "Foreground",
      },
    );
  });

  test("a message that comes twice is merged, a list grows", () => {
    const raw = write((w) => {
      w.nested(1, () => w.string(1, "a"));
      w.nested(1, () => w.string(14, "x"));
      w.nested(1, () => w.string(14, "y"));
    });
    assert.deepEqual(codec.decode(body("v1", "ConfigMap", raw), configMap).object["metadata"], {
      name: "a",
      finalizers: ["x", "y"],
    });
  });
});

describe("refusals", () => {
  const message = (bytes: Uint8Array, fallback = lease): string => {
    try {
      codec.decode(bytes, fallback);
    } catch (error) {
      return isApiStatusError(error)
        ? `${error.status.code} ${error.status.message}`
        : (error as Error).message;
    }
    return assert.fail("it was accepted");
  };

  test("bytes that are no envelope", () => {
    assert.equal(message(new Uint8Array(0)), "empty data");
    assert.equal(
      message(Uint8Array.of(1, 2, 3, 4, 5)),
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
    assert.equal(message(Uint8Array.of(0x6b, 0x38, 0x73, 0)), "empty body");
    assert.equal(message(Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, 9)), "unexpected EOF");
  });

  test("messages that are not of their type say what they cannot stand for", () => {
    const inside = (raw: readonly number[], kind = "Lease"): string =>
      message(body("coordination.k8s.io/v1", kind, Uint8Array.from(raw)));
    const why = (text: string, kind = "Lease"): string =>
      `400 ${kind} in version "v1" cannot be handled as a Lease: ${text}`;
    assert.equal(inside([0x0a, 0x7f]), why("unexpected EOF"));
    assert.equal(inside([0x08, 0x01]), why("proto: wrong wireType = 0 for field ObjectMeta"));
    assert.equal(inside([0x0c]), why("proto: Lease: wiretype end group for non-group"));
    assert.equal(inside([0x02, 0x00]), why("proto: Lease: illegal tag 0 (wire type 2)"));
    assert.equal(inside([0x9f, 0x01]), why("proto: illegal wireType 7"));
    assert.equal(inside([...new Array<number>(11).fill(0xff)]), why("proto: integer overflow"));
    assert.equal(
      inside([0x0a, ...new Array<number>(9).fill(0xff), 0x01]),
      why("proto: negative length found during unmarshaling"),
    );
    assert.equal(
      inside([], "Nope"),
      why(
        'no kind "Nope" is registered for version "coordination.k8s.io/v1" in scheme "pkg/runtime/scheme.go:111"',
        "Nope",
      ),
    );
  });
});

describe("round trips", () => {
  test("every special form keeps its meaning", () => {
    const pod: JsonObject = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        name: "p",
        generation: 9007199254740993n,
        creationTimestamp: "2026-11-21T10:00:00Z",
        labels: { b: "ü", a: "" },
        managedFields: [{ fieldsV1: { "f:spec": {} }, time: "1969-12-31T23:59:59Z" }],
      },
      spec: {
        containers: [
          {
            name: "c",
            resources: { limits: { cpu: "500m" } },
            livenessProbe: { httpGet: { port: "http" } },
            readinessProbe: { tcpSocket: { port: -1 } },
            securityContext: { runAsUser: 0, privileged: false },
          },
        ],
        volumes: [
          { name: "v", emptyDir: { sizeLimit: "1Gi" } },
          { name: "w", configMap: { name: "c", defaultMode: 420 } },
        ],
        tolerations: [{ tolerationSeconds: -5 }],
      },
      status: {},
    };
    assert.deepEqual(again(pod), pod);
    const spec = { acquireTime: "2026-01-02T03:04:05.123456Z", holderIdentity: "" };
    assert.deepEqual(
      again({ apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: {}, spec })["spec"],
      spec,
    );
    const schema = {
      type: "object",
      properties: {
        a: { default: [1, { b: null }], items: { type: "string" } },
        c: { additionalProperties: false, maximum: 1.5 },
        d: { additionalProperties: { type: "string" }, items: [{ type: "number" }] },
      },
    };
    const names = { plural: "xs", kind: "X" };
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "d" },
      spec: {
        group: "g",
        names,
        scope: "Cluster",
        versions: [
          { name: "v1", served: true, storage: false, schema: { openAPIV3Schema: schema } },
        ],
      },
      status: { conditions: null, acceptedNames: { plural: "", kind: "" }, storedVersions: null },
    };
    assert.deepEqual(again(definition), definition);
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "SelfSubjectReview",
      metadata: {},
      status: { userInfo: { username: "u", extra: { k: ["a", "b"] } } },
    };
    assert.deepEqual(again(review), review);
  });

  test("any data of config maps", () => {
    const text = fc.string({ unit: "binary" }).map((s) => s.toWellFormed());
    fc.assert(
      fc.property(
        fc.dictionary(text, text, { minKeys: 1 }),
        fc.uint8Array({ maxLength: 300 }),
        fc.maxSafeInteger(),
        (data, bytes, generation) => {
          const object = {
            apiVersion: "v1",
            kind: "ConfigMap",
            metadata: { ...(generation ? { generation } : {}) },
            data: { ...data },
            binaryData: { x: Buffer.from(bytes).toString("base64") },
          };
          assert.deepEqual(again(object), object);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe("writing", () => {
  test("plain fields are there even when they are zero, and maps are sorted", () => {
    const { apiVersion, kind, raw } = openEnvelope(
      codec.encode({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        data: { b: "2", a: "1" },
      })!,
    );
    assert.deepEqual([apiVersion, kind], ["v1", "ConfigMap"]);
    const empty = [0x12, 0, 0x1a, 0, 0x22, 0, 0x2a, 0, 0x32, 0, 0x38, 0, 0x42, 0];
    assert.deepEqual(
      [...raw],
      [
        0x0a,
        3 + empty.length,
        0x0a,
        1,
        0x61,
        ...empty,
        0x12,
        6,
        0x0a,
        1,
        0x61,
        0x12,
        1,
        0x31,
        0x12,
        6,
        0x0a,
        1,
        0x62,
        0x12,
        1,
        0x32,
      ],
    );
  });

  test("types without a protobuf form are written as JSON", () => {
    assert.equal(codec.encode({ apiVersion: "zoo.example.com/v1", kind: "Ape" }), undefined);
  });

  test("a list of kept messages is the list that is encoded whole", () => {
    const items = [{ metadata: { name: "a" }, data: { k: "ä" } }, { metadata: { name: "b" } }];
    const head = { apiVersion: "v1", kind: "ConfigMapList", metadata: { resourceVersion: "7" } };
    const messages = items.map((item) => codec.encodeMessage(configMap, item)!);
    assert.deepEqual(codec.encodeList(head, messages)?.join(), codec.encode({ ...head, items }));
    const empty = { ...head, metadata: { continue: "x", remainingItemCount: 3 } };
    assert.deepEqual(codec.encodeList(empty, [])?.join(), codec.encode({ ...empty, items: [] }));
    const type = { apiVersion: "v1", kind: "ConfigMap" };
    assert.deepEqual(codec.seal(type, messages[0]!), codec.encode({ ...type, ...items[0] }));
    assert.equal(codec.encodeList({ ...head, kind: "ConfigMap" }, []), undefined);
  });

  test("a watch event is framed by its length", () => {
    const frame = encodeWatchFrame("ADDED", Uint8Array.of(1, 2, 3));
    assert.deepEqual(
      [...frame],
      [0, 0, 0, 14, 0x0a, 5, 0x41, 0x44, 0x44, 0x45, 0x44, 0x12, 5, 0x0a, 3, 1, 2, 3],
    );
  });
});
