import assert from "node:assert/strict";
import { it } from "node:test";
import { askedOf, type Seen, seenOf, shownTo } from "./viewer.ts";

const boxes = { apiVersion: "laws.example.com/v1", resource: "boxes" };

it("asks once for each namespace and resource, and never about more than 200", async () => {
  const asked: Seen[] = [];
  const viewer = {
    async mayGet(one: Seen) {
      asked.push(one);
      return one.namespace !== "ns-1";
    },
  };
  const items = Array.from({ length: 1000 }, (_, i) => `ns-${i % 500}`);
  const shown = await shownTo(viewer, items, (namespace) => seenOf(boxes, namespace));
  assert.equal(asked.length, 200);
  assert.deepEqual([shown.items.length, shown.hidden], [398, 602]);
  assert.ok(!shown.items.includes("ns-1"));
});

it("shows all to those that nobody asks about", async () => {
  const shown = await shownTo(undefined, [1, 2], () => seenOf(boxes, undefined));
  assert.deepEqual(shown, { items: [1, 2], hidden: 0 });
});

it("tells the group of a kind", () => {
  assert.deepEqual(seenOf(boxes, "a"), {
    group: "laws.example.com",
    resource: "boxes",
    namespace: "a",
  });
  assert.equal(seenOf({ apiVersion: "v1", resource: "pods" }, "a").group, "");
});

interface Item {
  readonly at: string;
  readonly name: string;
}

it("counts what is hidden whatever is asked for, and asks about that first", async () => {
  const asked: (string | undefined)[] = [];
  const viewer = {
    async mayGet({ namespace }: Seen) {
      asked.push(namespace);
      return namespace === "own";
    },
  };
  const items: readonly Item[] = [
    { at: "own", name: "a" },
    { at: "own", name: "b" },
    { at: "their", name: "c" },
  ];
  const of = ({ at }: Item) => seenOf(boxes, at);
  for (const name of ["c", "no such"]) {
    const isAsked = (item: Item): boolean => item.name === name;
    assert.deepEqual(await askedOf(viewer, items, { of, isAsked }), { items: [], hidden: 1 });
  }
  assert.deepEqual(asked, ["their", "own", "own", "their"]);
  const isAsked = ({ name }: Item): boolean => name === "b";
  const shown = { items: [items[1]], hidden: 0 };
  assert.deepEqual(await askedOf(undefined, items, { of, isAsked }), shown);
  assert.deepEqual(await askedOf(viewer, items, { of, isAsked }), { ...shown, hidden: 1 });
});
