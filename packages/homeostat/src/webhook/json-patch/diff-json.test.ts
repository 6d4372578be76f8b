import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { cloneJson, type Json, type JsonObject } from "../../api/json.ts";
import { parseExact } from "../../api/parse-exact.ts";
import { diffJson, type PatchOperation } from "./diff-json.ts";

/** RFC 6902, as far as these patches need it. */
function applyPatch(before: Json, patch: readonly PatchOperation[]): Json {
  const root: JsonObject = { root: cloneJson(before) };
  for (const { op, path, value } of patch) {
    const keys = ["root", ...path.split("/").slice(1).map(unescape)];
    const last = keys.pop()!;
    const parent = keys.reduce<Json>((at, key) => (at as JsonObject)[key]!, root);
    if (Array.isArray(parent)) {
      assert.ok(Number(last) <= parent.length, path);
      parent.splice(Number(last), op === "add" ? 0 : 1, ...(op === "remove" ? [] : [value!]));
    } else if (op === "remove") delete (parent as JsonObject)[last];
    else (parent as JsonObject)[last] = value!;
  }
  return root["root"]!;
}

const unescape = (key: string): string => key.replaceAll("~1", "/").replaceAll("~0", "~");

const paths = (before: Json, after: unknown): readonly string[] =>
  diffJson(before, after).map(({ op, path }) => `${op} ${path}`);

describe("the patch between two values", () => {
  test("turns one into the other, whatever they are", () => {
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        fc.constantFrom<Json>(null, true, 1, 1.5, "a", ""),
        fc.array(tie("value"), { maxLength: 6 }),
        fc.dictionary(fc.constantFrom("a", "b", "a/b", "~1", ""), tie("value"), {
          noNullPrototype: true,
        }),
      ),
    }));
    fc.assert(
      fc.property(value as fc.Arbitrary<Json>, value as fc.Arbitrary<Json>, (before, after) => {
        assert.deepEqual(applyPatch(before, diffJson(before, after)), after);
      }),
      { numRuns: 2000 },
    );
  });

  test("is empty for equal values, however their numbers are written", () => {
    const before = parseExact('{"a":1.0,"b":1e3,"c":9223372036854775807,"d":0.1}');
    assert.deepEqual(diffJson(before, { d: 0.1, c: 9223372036854775807n, b: 1000, a: 1 }), []);
  });

  test("names changed members only, and leaves the others as the client wrote them", () => {
    const before = parseExact('{"spec":{"ratio":1.0,"big":9223372036854775807,"unknown":{"x":1}}}');
    const draft = cloneJson(before) as { spec: Record<string, unknown> };
    draft.spec["ready"] = true;
    assert.deepEqual(diffJson(before, draft), [{ op: "add", path: "/spec/ready", value: true }]);
  });

  test("adds a parent that is missing as one operation", () => {
    assert.deepEqual(
      diffJson({ metadata: { name: "a" } }, { metadata: { name: "a", labels: { x: "y" } } }),
      [{ op: "add", path: "/metadata/labels", value: { x: "y" } }],
    );
  });

  test("removes members that are undefined", () => {
    assert.deepEqual(paths({ a: 1, b: 2 }, { a: undefined, b: 2, c: undefined }), ["remove /a"]);
  });

  test("inserts and removes items without touching their neighbours", () => {
    const items = (...names: string[]): Json[] => names.map((name) => ({ name }));
    assert.deepEqual(paths(items("a", "b", "c"), items("x", "a", "b", "y", "c", "z")), [
      "add /0",
      "add /3",
      "add /5",
    ]);
    assert.deepEqual(paths(items("a", "b", "c", "d"), items("b", "d")), ["remove /0", "remove /1"]);
    assert.deepEqual(paths(items("a", "b", "c"), items("a", "x", "c")), ["replace /1/name"]);
  });

  test("escapes keys", () => {
    assert.deepEqual(paths({}, { "a/b~c": 1 }), ["add /a~1b~0c"]);
    assert.deepEqual(paths({}, JSON.parse('{"__proto__":1}')), ["add /__proto__"]);
  });

  test("of values that are no JSON is an error that names the place", () => {
    const circle: Record<string, unknown> = {};
    circle["self"] = circle;
    for (const [after, message] of [
      [
        { spec: { when: new Date(0) } },
        /^\/spec\/when is 1970-01-01T00:00:00.000Z, expected JSON$/,
      ],
      [{ spec: { n: NaN } }, /^\/spec\/n is NaN, expected JSON$/],
      [{ list: [undefined] }, /^\/list\/0 is undefined, expected JSON$/],
      [{ run() {} }, /^\/run is .*, expected JSON$/],
      [{ circle }, /^\/circle contains itself$/],
    ] as const)
      assert.throws(() => diffJson({ spec: {} }, after), { name: "TypeError", message });
  });

  test("of long lists is found in time", () => {
    const before = Array.from({ length: 20_000 }, (_, i) => ({ name: `a${i}` }));
    const after = before.map(({ name }) => ({ name: `${name}b` }));
    assert.equal(diffJson(before, after).length, 20_000);
  });
});
