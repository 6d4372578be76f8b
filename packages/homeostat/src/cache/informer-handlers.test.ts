import assert from "node:assert/strict";
import { test } from "node:test";
import type { CachedEntry } from "./cached-entry.ts";
import type { Freshness, HandlerCause } from "./informer.ts";
import { InformerHandlers } from "./informer-handlers.ts";

const entry = (uid: string): CachedEntry => ({ key: "n/a", uid }) as unknown as CachedEntry;
const cause: HandlerCause = { through: "watch", ownWrite: false };

test("changes are addition, update and deletion; a successor is a deletion and an addition", () => {
  const heard: string[] = [];
  const failures: string[] = [];
  const handlers = new InformerHandlers((error, key) => void failures.push(`${key} ${error}`));
  handlers.add({ added: () => assert.fail("no") }, []);
  const handler = handlers.add(
    {
      added: ({ uid }) => void heard.push(`added ${uid}`),
      updated: (old, { uid }) => void heard.push(`updated ${old.uid} ${uid}`),
      deleted: ({ uid }) => void heard.push(`deleted ${uid}`),
    },
    [entry("first")],
  );
  const [a, b] = [entry("a"), entry("b")];
  handlers.notify({ old: undefined, entry: a }, cause);
  handlers.notify({ old: a, entry: entry("a") }, cause);
  handlers.notify({ old: a, entry: b }, cause);
  handlers.notify({ old: b, entry: undefined }, cause);
  handlers.notify({ old: undefined, entry: undefined }, cause);
  handler.remove();
  handlers.notify({ old: undefined, entry: a }, cause);
  assert.deepEqual(heard, [
    "added first",
    "added a",
    "updated a a",
    "deleted a",
    "added b",
    "deleted b",
  ]);
  assert.equal(failures.length, 3);
  assert.match(failures[0]!, /^n\/a AssertionError/);
});

test("what a late handler hears first is no own write; what fails is named by its key", () => {
  const causes: HandlerCause[] = [];
  const failures: string[] = [];
  const handlers = new InformerHandlers((_, key) => void failures.push(String(key)));
  handlers.add(
    {
      added: (_, heard) => void causes.push(heard),
      deleted: () => assert.fail("no"),
    },
    [entry("first")],
  );
  assert.deepEqual(causes, [{ through: "initial", ownWrite: false }]);
  handlers.notify({ old: entry("first"), entry: undefined }, cause);
  assert.deepEqual(failures, ["n/a"]);
});

test("listeners hear of readiness, phase and reason when one of them changes", () => {
  const heard: unknown[] = [];
  const handlers = new InformerHandlers(() => {});
  const listener = handlers.listen(({ phase, lastError }) => void heard.push([phase, lastError]));
  const tell = (phase: string, lastError?: string): void =>
    handlers.freshnessChanged({ ready: true, phase, lastError } as unknown as Freshness);
  tell("watching");
  tell("watching");
  tell("watching", "gone");
  tell("listing", "gone");
  listener.remove();
  tell("watching");
  assert.deepEqual(heard, [
    ["watching", undefined],
    ["watching", "gone"],
    ["listing", "gone"],
  ]);
});
