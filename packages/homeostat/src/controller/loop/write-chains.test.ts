import assert from "node:assert/strict";
import { test } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { CompletedWrite } from "../../client/client.ts";
import type { RecordedCause } from "../../queue/workqueue.ts";
import { WriteChains } from "./write-chains.ts";

const box = { apiVersion: "x/v1", kind: "Box" } as Kind;
const keyOf = (id: string) => ({ id, title: `title of ${id}` });
const wrote = (revision?: number): CompletedWrite => ({
  kind: box,
  key: { name: "a" },
  object: revision === undefined ? undefined : { metadata: { resourceVersion: String(revision) } },
});
const changed = (revision: number, more: Partial<RecordedCause> = {}): RecordedCause => ({
  what: "Box changed",
  source: "itself",
  object: "x/v1/Box a",
  resourceVersion: String(revision),
  at: 0,
  times: 1,
  ...more,
});
const retry: RecordedCause = { what: "retry", source: "retry", at: 0, times: 1 };

/** Two keys that trigger each other; `causesOf` gives the causes of each run. */
function pingPong(causesOf: (i: number) => readonly RecordedCause[], rounds = 20, dropped = 0) {
  const chains = new WriteChains();
  let last;
  for (let i = 1; i <= rounds; i++) {
    const run = chains.begin(keyOf(i % 2 ? "one" : "two"), causesOf(i), dropped);
    run.wrote(wrote(i));
    last = run.returned();
  }
  return last;
}

test("a chain that comes back through another key is counted, and names that key", () => {
  const other = { visits: 10, through: ["title of one"] };
  assert.deepEqual(
    pingPong((i) => [changed(i - 1)]),
    other,
  );
  assert.deepEqual(
    pingPong((i) => [changed(i - 1), retry]),
    other,
    "a retry says nothing",
  );
  const merged = (i: number) => [changed(i - 1, { times: 2, earlier: [String(i - 2)] })];
  assert.ok(pingPong((i) => (i > 2 ? merged(i) : [changed(i - 1)]))!.visits > 5);
});

test("a run that something else may have triggered starts a chain", () => {
  for (const foreign of [
    [changed(19), changed(1000)],
    [changed(19, { times: 2, earlier: ["1000"] })],
    [changed(19, { times: 2 })],
    [changed(19), { what: "resumed", source: "resume", at: 0, times: 1 }],
    [retry],
    [],
  ])
    assert.equal(
      pingPong((i) => (i === 20 ? foreign : [changed(i - 1)])),
      undefined,
    );
  assert.equal(
    pingPong((i) => [changed(i - 1)], 20, 1),
    undefined,
  );
});

test("a key that triggers only itself comes back through nothing", () => {
  const chains = new WriteChains();
  for (let i = 1; i < 50; i++) {
    const run = chains.begin(keyOf("one"), [changed(i - 1)]);
    run.wrote(wrote(i));
    assert.equal(run.returned(), undefined);
  }
});

test("causes are looked up when the run has its first answer, and deletions count", () => {
  const chains = new WriteChains();
  const first = chains.begin(keyOf("one"), []);
  const second = chains.begin(keyOf("two"), [changed(1)]);
  first.wrote(wrote(1));
  second.wrote(wrote());
  const third = chains.begin(keyOf("one"), [changed(2, { what: "Box deleted" })]);
  assert.deepEqual(third.returned(), { visits: 2, through: ["title of two"] });
  assert.ok(chains.isOurs(changed(7)));
  third.wrote(wrote(3));
  assert.ok(!chains.isOurs(changed(7)), "the object is there again");
});

test("a chain through many keys is followed; what is kept has bounds", () => {
  const chains = new WriteChains();
  let visits = 0;
  for (let i = 1; i <= 10_000; i++) {
    const run = chains.begin(keyOf(`k${i % 30}`), [changed(i - 1)]);
    run.wrote(wrote(i));
    visits = run.returned()?.visits ?? 0;
  }
  assert.ok(visits > 300);
  assert.equal(chains.size, 4000);
  assert.ok(!chains.isOurs(changed(6000)) && chains.isOurs(changed(6001)));
});
