import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cloneJson, type Json, type JsonObject } from "homeostat/api";
import { readKindData } from "../../apimachinery/kind-data/read-kind-data.ts";
import { patchTypeOf } from "../../apimachinery/types/patch-meta.ts";
import { said } from "../refusal.suite.ts";
import { applyStrategicMergePatch, decodeStrategicMergePatch } from "./strategic-merge-patch.ts";

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
