// Lists and events are split alike in every spelling that JSON allows.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { splitEvent, splitList } from "./split-list.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const parsed = (part: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(part));

const items = [{ metadata: { name: "a" }, items: ["]"] }, { metadata: { name: "b" } }];
const metadata = { selfLink: "x", resourceVersion: "7", continue: "more" };
const list = { kind: "MealList", apiVersion: "v1", metadata, items };
const turned = { items, extra: { kind: "Other" }, metadata, apiVersion: "v1", kind: "MealList" };
const escaped = JSON.stringify(list).replace('"items":[', String.raw`"i\u0074ems":[`);

describe("a list", () => {
  for (const [how, text] of Object.entries({
    "as servers write it": JSON.stringify(list),
    "with spaces": JSON.stringify(list, undefined, 2),
    "in another order": JSON.stringify(turned),
    "with escaped names": escaped,
  }))
    it(how, () => {
      const { items: found, ...rest } = splitList(bytes(text))!;
      assert.deepEqual(rest, {
        apiVersion: "v1",
        kind: "MealList",
        resourceVersion: "7",
        continue: "more",
      });
      assert.deepEqual(found.map(parsed), items);
    });

  it("without objects, or the last page", () => {
    for (const none of [{ items: null }, { items: [] }, {}]) {
      const text = JSON.stringify({ metadata: { resourceVersion: "7" }, ...none });
      const { items: found, continue: token } = splitList(bytes(text))!;
      assert.deepEqual([found, token], [[], ""]);
    }
  });

  it("is nothing else", () => {
    assert.equal(splitList(bytes('{"items":[]}')), undefined);
    assert.equal(splitList(bytes('{"resourceVersion":"7","items":[]}')), undefined);
    assert.throws(() => splitList(bytes('{"metadata":{"resourceVersion":"7"},"items":[{}')));
    assert.throws(() => splitList(bytes("<html>")));
  });
});

describe("an event", () => {
  const object = { kind: "Meal", type: "BOOKMARK", object: { type: "no" } };
  for (const [how, text] of Object.entries({
    "as servers write it": JSON.stringify({ type: "MODIFIED", object }),
    "with spaces": JSON.stringify({ type: "MODIFIED", object }, undefined, 2),
    "in another order": JSON.stringify({ object, type: "MODIFIED" }),
    "with a space at its end": `${JSON.stringify({ type: "MODIFIED", object })} `,
    "with escaped names": String.raw`{"typ\u0065":"MODIFIED","object":${JSON.stringify(object)}}`,
  }))
    it(how, () => {
      const event = splitEvent(bytes(text))!;
      assert.deepEqual([event.type, parsed(event.object)], ["MODIFIED", object]);
    });

  it("is nothing else", () => {
    assert.equal(splitEvent(bytes('{"type":"ADDED"}')), undefined);
    assert.equal(splitEvent(bytes('{"object":{}}')), undefined);
    assert.throws(() => splitEvent(bytes("ADDED {}")));
  });
});
