import assert from "node:assert/strict";
import { it } from "node:test";
import { inspect, isDeepStrictEqual } from "node:util";
import { observeByAccessors } from "./observe-by-accessors.ts";

type Map = Readonly<Record<string, string>>;
const many = { app: "x", tier: "y" };
const one = { tier: "y" };
const TIER = "tier";

async function play(values: Map, read: (map: any) => unknown): Promise<readonly string[]> {
  const seen = new Set<string>();
  read(observeByAccessors(values, (key) => seen.add(key)));
  await Promise.resolve();
  return [...seen];
}

it("notices reads by name", async () => {
  const reads: readonly ((map: any) => unknown)[] = [
    (map) => map.tier,
    (map) => map?.tier,
    (map) => map?.["tier"],
    (map) => map[TIER],
    ({ tier }) => tier as unknown,
    (map) => `${map.tier}${map.tier}`,
  ];
  for (const values of [many, one])
    for (const read of reads) assert.deepEqual(await play(values, read), ["tier"], String(read));
});

it("does not notice copies, comparisons, loops and logs, and is what it copies to them", async () => {
  const reads: readonly ((map: any) => unknown)[] = [
    (map) => ({ ...map }),
    (map) => structuredClone(map),
    (map) => structuredClone({ metadata: { labels: map } }).metadata.labels,
    (map) => JSON.parse(JSON.stringify(map)),
    (map) => Object.fromEntries(Object.entries(map)),
    (map) => Object.assign({}, map),
    (map) => {
      const copy: Record<string, string> = {};
      for (const key in map) copy[key] = map[key];
      return copy;
    },
  ];
  for (const values of [many, one, {}]) {
    for (const read of reads) {
      let copied: unknown;
      const seen = await play(values, (map) => (copied = read(map)));
      assert.deepEqual([seen, copied], [[], values], String(read));
    }
    const compared = await play(values, (map) => {
      assert.ok(isDeepStrictEqual(map, values));
      assert.equal(inspect(map), inspect(values));
      assert.deepEqual(Object.keys(map), Object.keys(values));
    });
    assert.deepEqual(compared, []);
  }
});

it("can be written and frozen as the map itself", () => {
  const copy = observeByAccessors(many, () => {}) as Record<string, string>;
  copy["tier"] = "z";
  assert.equal(copy["tier"], "z");
  delete copy["app"];
  assert.deepEqual(Object.keys(copy), ["tier"]);
  assert.equal(many.tier, "y");
  const frozen = observeByAccessors(Object.freeze({ ...many }), () => {});
  assert.ok(Object.isFrozen(frozen));
});
