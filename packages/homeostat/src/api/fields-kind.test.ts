import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fieldsOf, hasField, takeFields, viewId } from "./fields-kind.ts";
import type { JsonObject } from "./json.ts";
import type { Kind, Metadata } from "./kind.ts";
import { metadataOf } from "./metadata-kind.ts";

interface Box {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Metadata;
  readonly spec: {
    readonly size: number;
    readonly at?: { readonly x: number; readonly y: number };
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly items: readonly { readonly name: string }[];
}
const Box = {
  apiVersion: "example.com/v1",
  kind: "Box",
  resource: "boxes",
  scope: "Namespaced",
} as Kind<Box, Box, never, never>;

describe("fields of a kind", () => {
  it("are copied with what is above them, and nothing else", () => {
    const metadata = { name: "a" };
    const head = { apiVersion: "example.com/v1", kind: "Box", metadata };
    const whole: JsonObject = {
      ...head,
      spec: { size: 1, at: { x: 1, y: 2 }, note: null },
      data: { a: "b" },
      items: [{ name: "i" }],
    };
    const text = JSON.stringify(whole);
    for (const [fields, taken] of [
      [["spec.size"], { spec: { size: 1 } }],
      [["spec.at.x", "spec.size"], { spec: { at: { x: 1 }, size: 1 } }],
      [["spec.at", "spec.at.x"], { spec: { at: { x: 1, y: 2 } } }],
      [["spec", "spec.at.x"], { spec: whole["spec"] }],
      [["spec.note.deeper"], { spec: { note: null } }],
      [["spec.none.deeper", "status.phase"], { spec: {} }],
      [["items"], { items: [{ name: "i" }] }],
      [["spec.toString"], { spec: {} }],
    ] as const)
      assert.deepEqual(takeFields(whole, fields), { ...head, ...taken });
    assert.equal(JSON.stringify(whole), text, "the object stays as it is");
  });

  it("name a view, in any order, and say what it has", () => {
    const view = fieldsOf(Box, "spec.size", "data", "spec.size");
    assert.deepEqual(view.fields, ["data", "spec.size"]);
    assert.equal(viewId(view), viewId(fieldsOf(Box, "data", "spec.size")));
    assert.deepEqual([viewId(Box), viewId(metadataOf(Box))], ["", "metadata"]);
    for (const [path, has] of [
      ["spec.size", true],
      ["spec.sizes", false],
      ["spec", false],
      ["data.a", true],
      ["metadata.labels.a", true],
      ["kind", true],
    ] as const)
      assert.equal(hasField(view, path), has, path);
    assert.deepEqual([hasField(Box, "x"), hasField(metadataOf(Box), "spec")], [true, false]);
  });

  it("are refused unless they are paths below the root", () => {
    for (const paths of [[], [""], ["spec."], ["metadata.labels"], ["kind"], [5]])
      assert.throws(() => fieldsOf(Box, ...(paths as never)), {
        code: "ERR_FIELDS_PATH",
        message: /taking fields of Box: expected paths such as "spec.replicas", got /,
      });
  });
});
