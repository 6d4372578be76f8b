// JSON patch, merge patch and strategic merge patch: what applies, what is refused, in which words.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  cloneJson,
  isApiStatusError,
  type Json,
  type JsonObject,
  type Status,
} from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { applyJsonPatch, decodeJsonPatch } from "./json-patch.ts";
import { applyMergePatch, decodeMergePatch } from "./merge-patch.ts";
import { patchTypeOf } from "../../apimachinery/types/patch-meta.ts";
import {
  applyStrategicMergePatch,
  decodeStrategicMergePatch,
} from "../strategicpatch/strategic-merge-patch.ts";

function refusal(action: () => unknown): Status {
  try {
    action();
  } catch (error) {
    if (isApiStatusError(error)) return error.status;
    throw error;
  }
  throw new Error("it was not refused");
}
const said = (action: () => unknown): string => {
  const { code, message } = refusal(action);
  return `${code} ${message}`;
};

describe("JSON patch", () => {
  const document: Json = { a: { b: "1", "c/d": "2", "e~f": "3", n: null }, list: ["x", "y"] };
  const patched = (...operations: JsonObject[]): Json => applyJsonPatch(document, operations);

  test("applies with the library's leniency", () => {
    const rows: readonly (readonly [
      JsonObject,
      (document: { a: JsonObject; list: Json[] } & JsonObject) => void,
    ])[] = [
      [{ op: "add", path: "/a/b", value: "9" }, (d) => (d.a["b"] = "9")],
      [{ op: "add", path: "/new" }, (d) => (d["new"] = null)],
      [{ op: "add", path: "/list/-", value: "z" }, (d) => d.list.push("z")],
      [{ op: "add", path: "/list/-1", value: "z" }, (d) => d.list.push("z")],
      [{ op: "add", path: "/list/1", value: "z" }, (d) => d.list.splice(1, 0, "z")],
      [{ op: "add", path: "list/b", value: 1 }, (d) => (d["b"] = 1)],
      [{ op: "replace", path: "/absent", value: 1 }, (d) => (d["absent"] = 1)],
      [{ op: "replace", path: "/list/-1", value: "z" }, (d) => (d.list[1] = "z")],
      [{ op: "remove", path: "/list/-2" }, (d) => d.list.shift()],
      [{ op: "remove", path: "/a/c~1d" }, (d) => delete d.a["c/d"]],
      [{ op: "remove", path: "/a/e~0f" }, (d) => delete d.a["e~f"]],
      [{ op: "copy", from: "/absent", path: "/a/b" }, (d) => (d.a["b"] = null)],
      [{ op: "move", from: "/list/0", path: "/list/-" }, (d) => d.list.push(d.list.shift()!)],
      [{ op: "test", path: "/absent", value: null }, () => undefined],
      [{ op: "test", path: "/a/n" }, () => undefined],
      [{ op: "test", path: "/list", value: ["x", "y"] }, () => undefined],
      [{ op: "test", path: "", value: document }, () => undefined],
    ];
    for (const [operation, change] of rows) {
      const wanted = cloneJson(document) as { a: JsonObject; list: Json[] } & JsonObject;
      change(wanted);
      assert.deepEqual(patched(operation), wanted, JSON.stringify(operation));
    }
    assert.deepEqual(patched({ op: "replace", path: "", value: [1] }), [1]);
  });

  test("refuses everything else in one opaque answer", () => {
    const bad: JsonObject[] = [
      { op: "ADD", path: "/x" },
      { path: "/x" },
      { op: "add" },
      { op: "add", path: "", value: {} },
      { op: "add", path: "/no/x", value: 1 },
      { op: "add", path: "/list/3", value: 1 },
      { op: "add", path: "/list/x", value: 1 },
      { op: "remove", path: "/absent" },
      { op: "remove", path: "/list/2" },
      { op: "replace", path: "/list/2", value: 1 },
      { op: "replace", path: "/list/-", value: 1 },
      { op: "replace", path: "", value: "x" },
      { op: "move", from: "/absent", path: "/x" },
      { op: "copy", path: "/x" },
      { op: "copy", from: "/list/9", path: "/x" },
      { op: "test", path: "/a/b", value: "2" },
      { op: "test", path: "/a/b" },
      { op: "test", path: "/a/b/c", value: null },
    ];
    for (const operation of bad) {
      const status = refusal(() => patched(operation));
      assert.deepEqual(
        [status.code, status.reason, status.message, status.details],
        [422, "Invalid", "the server rejected our request due to an error in our request", {}],
        JSON.stringify(operation),
      );
    }
  });

  test("reads bodies, strictly or not", () => {
    assert.deepEqual(
      decodeJsonPatch(
        '[{"op":"add","path":"/a","foo":1,"value":{"k":1,"k":2},"op":"add"}]',
        "Strict",
      ).strictErrors,
      [
        'json patch unknown field "[0].foo"',
        'json patch duplicate field "[0].value.k"',
        'json patch duplicate field "[0].op"',
      ],
    );
    assert.deepEqual(
      decodeJsonPatch('[{"op":"add","path":"/a","foo":1}]', "Ignore").strictErrors,
      [],
    );
    assert.deepEqual(decodeJsonPatch("null", "Strict").operations, []);
    const rows: readonly (readonly [string, "Strict" | "Ignore", string])[] = [
      [
        "{}",
        "Strict",
        "400 error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
      ],
      [
        "[5]",
        "Strict",
        "400 error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
      ],
      [
        '[{"op":5}]',
        "Strict",
        "400 error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
      ],
      ["[", "Strict", "400 error decoding patch: unexpected end of JSON input"],
      ["{}", "Ignore", "400 json: cannot unmarshal object into Go value of type jsonpatch.Patch"],
      [
        "[true]",
        "Ignore",
        "400 json: cannot unmarshal bool into Go value of type jsonpatch.Operation",
      ],
      ["[", "Ignore", "400 unexpected end of JSON input"],
    ];
    for (const [text, validation, answer] of rows)
      assert.equal(
        said(() => decodeJsonPatch(text, validation)),
        answer,
      );
    assert.equal(
      said(() => decodeJsonPatch(JSON.stringify(Array(10_001).fill({})), "Ignore")),
      "413 Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001",
    );
  });
});

describe("merge patch", () => {
  test("follows RFC 7386, except for nulls in what is put in place of an object", () => {
    const rows: readonly (readonly [Json, Json, Json])[] = [
      [{ a: "b" }, { a: "c" }, { a: "c" }],
      [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
      [{ a: "b" }, { a: null }, {}],
      [{ a: ["b"] }, { a: "c" }, { a: "c" }],
      [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
      [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
      [{ e: null }, { a: 1 }, { e: null, a: 1 }],
      [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
      [{ a: 1 }, { a: { b: null } }, { a: {} }],
      [{ a: 1 }, { a: [{ b: null }, null] }, { a: [{}, null] }],
      [{ a: {} }, { a: [{ b: null }] }, { a: [{ b: null }] }],
    ];
    for (const [document, patch, result] of rows)
      assert.deepEqual(applyMergePatch(document, patch), result, JSON.stringify([document, patch]));
  });

  test("is idempotent and mutates nothing", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b"), fc.jsonValue({ maxDepth: 2 })),
        fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 })),
        (document, patch) => {
          const before = JSON.stringify([document, patch]);
          // Nulls in a list that takes the place of an object stay the first time only.
          fc.pre(!JSON.stringify(patch).includes("null"));
          const once = applyMergePatch(document as Json, patch as Json);
          assert.deepEqual(applyMergePatch(once, patch as Json), once);
          assert.equal(JSON.stringify([document, patch]), before);
        },
      ),
    );
  });

  test("reads bodies, strictly or not", () => {
    assert.deepEqual(decodeMergePatch('{"a":{"b":1,"b":2}}', "Strict").strictErrors, [
      'duplicate field "a.b"',
    ]);
    assert.equal(
      said(() => decodeMergePatch("[1]", "Strict")),
      "400 error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    assert.equal(
      said(() => decodeMergePatch("{", "Strict")),
      "400 error decoding patch: unexpected end of JSON input",
    );
    for (const text of ["null", "5", "{"])
      assert.equal(
        said(() => decodeMergePatch(text, "Ignore")),
        "400 Invalid JSON Patch",
      );
    assert.deepEqual(decodeMergePatch("[1]", "Ignore").patch, [1]);
  });
});

describe("strategic merge patch", () => {
  const data = readKindData("1.36");
  const type = patchTypeOf(data, "io.k8s.api.core.v1.Pod");
  const live: JsonObject = {
    metadata: { finalizers: ["a", "b"], labels: { x: "1" } },
    spec: {
      containers: [
        { name: "one", image: "i", env: [{ name: "A", value: "1" }, { name: "B" }], args: ["p"] },
        { name: "two" },
      ],
      volumes: [{ name: "v", emptyDir: {} }],
      nodeSelector: { k: "1", l: "2" },
    },
  };
  const patched = (patch: JsonObject): JsonObject => applyStrategicMergePatch(live, patch, type);
  const spec = (patch: JsonObject): JsonObject => patched({ spec: patch })["spec"] as JsonObject;
  const names = (list: Json | undefined): Json[] => (list as JsonObject[]).map(({ name }) => name!);

  test("merges keyed lists, puts new items in front, and replaces the others", () => {
    const result = spec({
      containers: [
        { name: "three" },
        { name: "one", env: [{ name: "B", value: "2" }], args: ["q"] },
      ],
    })["containers"] as JsonObject[];
    assert.deepEqual(names(result), ["three", "one", "two"]);
    assert.deepEqual(result[1], {
      name: "one",
      image: "i",
      env: [
        { name: "A", value: "1" },
        { name: "B", value: "2" },
      ],
      args: ["q"],
    });
    assert.deepEqual(spec({ nodeSelector: { k: null } })["nodeSelector"], { l: "2" });
  });

  test("follows directives", () => {
    assert.deepEqual(
      names(spec({ containers: [{ name: "one", $patch: "delete" }] })["containers"]),
      ["two"],
    );
    assert.deepEqual(
      names(spec({ containers: [{ $patch: "replace" }, { name: "new" }] })["containers"]),
      ["new"],
    );
    assert.deepEqual(spec({ nodeSelector: { $patch: "replace", z: "1" } })["nodeSelector"], {
      z: "1",
    });
    assert.deepEqual(spec({ nodeSelector: { $patch: "delete" } })["nodeSelector"], {});
    assert.deepEqual(
      spec({
        volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }],
      })["volumes"],
      [{ name: "v", hostPath: { path: "/" } }],
    );
    assert.deepEqual(
      names(
        spec({ "$setElementOrder/containers": [{ name: "two" }, { name: "one" }] })["containers"],
      ),
      ["two", "one"],
    );
    assert.deepEqual(
      (
        patched({ metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } })[
          "metadata"
        ] as JsonObject
      )["finalizers"],
      ["b"],
    );
    assert.deepEqual(
      (patched({ metadata: { finalizers: ["c", "a"] } })["metadata"] as JsonObject)["finalizers"],
      ["c", "a", "b"],
    );
  });

  test("drops nulls and directives from what is new", () => {
    assert.deepEqual(spec({ affinity: { nodeAffinity: null, podAffinity: {} } })["affinity"], {
      podAffinity: {},
    });
    assert.deepEqual(
      spec({
        initContainers: [
          { name: "i", image: null },
          { name: "j", $patch: "delete" },
        ],
      })["initContainers"],
      [{ name: "i" }],
    );
  });

  test("refuses in upstream's words", () => {
    const rows: readonly (readonly [JsonObject, string])[] = [
      [
        { containers: [{ image: "x" }] },
        "500 map: map[image:x] does not contain declared merge key: name",
      ],
      [
        { containers: [{ name: "one", $patch: "drop" }] },
        "500 unknown patch type: drop in map: map[$patch:drop name:one]",
      ],
      [
        { containers: [{ name: "one", $patch: 5 }] },
        "500 unknown patch type: %!s(int64=5) in map: map[$patch:5 name:one]",
      ],
      [
        { containers: [{ name: "one", $patch: "merge" }] },
        "500 merging lists cannot yet be specified in the patch",
      ],
      [
        { containers: [{ $patch: [{ a: 1 }, null] }] },
        "500 unknown patch type: [map[a:%!s(int64=1)] <nil>] in map: map[$patch:[map[a:1] <nil>]]",
      ],
      [
        { nodeSelector: { $patch: "merge" } },
        "500 unknown patch type: merge in map: map[$patch:merge]",
      ],
      [
        { containers: ["one"] },
        "500 list element types are not identical: [[map[args:[p] env:[map[name:A value:1] map[name:B]] image:i name:one] map[name:two]] [one]]",
      ],
      [
        { volumes: [{ name: "v", $retainKeys: ["name"], hostPath: {} }] },
        "400 invalid patch format of retainKeys",
      ],
      [{ volumes: [{ name: "v", $retainKeys: "name" }] }, "400 invalid patch format of retainKeys"],
      [
        { "$setElementOrder/containers": "x" },
        "500 expected a []interface {}, but received a string",
      ],
      [{ "$setElementOrder": [] }, "400 invalid patch format of setElementOrder list"],
      [
        { "$setElementOrder/containers": [{ name: "two" }], containers: [{ name: "one" }] },
        "500 The order in patch list:\n[map[name:one]]\n doesn't match $setElementOrder list:\n[map[name:two]]\n",
      ],
    ];
    for (const [patch, answer] of rows)
      assert.equal(
        said(() => spec(patch)),
        answer,
      );
    assert.equal(
      said(() => patched({ metadata: { "$deleteFromPrimitiveList": ["a"] } })),
      "400 invalid patch format of primitive list",
    );
    assert.match(
      said(() => applyStrategicMergePatch({ bogus: {} }, { bogus: {} }, type)),
      /^500 unable to find api field in struct Pod for the json field "bogus"$/,
    );
  });

  test("reads bodies, and mutates nothing", () => {
    assert.deepEqual(decodeStrategicMergePatch('{"a":1,"a":2}', "Warn"), {
      patch: { a: 2 },
      strictErrors: ['duplicate field "a"'],
    });
    assert.equal(
      said(() => decodeStrategicMergePatch("[]", "Strict")),
      "400 json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    assert.equal(
      said(() => decodeStrategicMergePatch("{", "Strict")),
      "400 unexpected end of JSON input",
    );
    const before = cloneJson(live),
      patch: JsonObject = {
        spec: {
          containers: [{ name: "one", $patch: "delete" }],
          nodeSelector: { $patch: "replace" },
        },
      },
      sent = cloneJson(patch);
    patched(patch);
    assert.deepEqual([live, patch], [before, sent]);
  });
});
