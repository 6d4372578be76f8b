import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cloneJson, type Json, type JsonObject } from "homeostat/api";
import { refusal, said } from "../refusal.suite.ts";
import { applyJsonPatch, decodeJsonPatch } from "./json-patch.ts";

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
