// What users' functions say of an object that does not match its definition counts for nothing.
import assert from "node:assert/strict";
import { it } from "node:test";
import { toEntry } from "../cache/cached-entry.ts";
import { entryShape } from "../cache/entry-shape.suite.ts";
import type { HandlerCause } from "../cache/informer.ts";
import type { WorkQueue } from "../queue/workqueue.ts";
import { generationChanged, type Predicate } from "./predicates.ts";
import { prioritised } from "./priority.ts";
import { WarnOnce } from "./warn-once.ts";
import { whenCounts } from "./when-counts.ts";

const shape = entryShape({
  match: (object) =>
    Array.isArray((object as any).spec) ? undefined : { message: "spec", isInSpec: true },
});
const entry = (spec: unknown) =>
  toEntry(new TextEncoder().encode(JSON.stringify({ metadata: { name: "a" }, spec })), shape);
const warned: string[] = [];
const warn = (message: string): void => void warned.push(message);
const warnings = new WarnOnce({ debug() {}, info() {}, warn, error() {} });
const cause: HandlerCause = { through: "watch", ownWrite: false };

it("an update counts whatever `when` says of it, without a warning", () => {
  const counts = (when: Predicate, old: unknown, object: unknown): boolean =>
    whenCounts({ when, of: "it", warnings }, { old: entry(old), object: entry(object), cause });
  const longer: Predicate = (old, object) => object.read().spec.length > old.read().spec.length;
  const throws: Predicate = (_, object) => object.read().spec.at(0);
  assert.equal(counts(longer, [1], []), false);
  assert.equal(counts(longer, [], {}), true);
  assert.equal(counts(longer, {}, []), true);
  assert.equal(counts(throws, [], {}), true);
  assert.equal(counts(generationChanged, {}, {}), false, "it reads nothing that could be wrong");
  assert.deepEqual(warned, []);
});

it("its priority is the default, without a warning", () => {
  const priorities: (number | undefined)[] = [];
  const queue = {
    add: (_: string, { priority }: { readonly priority?: number }) => priorities.push(priority),
  } as unknown as WorkQueue;
  const add = (spec: unknown): void => {
    const priorityOf = ({ object }: { readonly object: { read(): any } }) =>
      object.read().spec.at?.(0) ?? object.read().spec.priority.value;
    const options = { queue, controller: "box", priorityOf, entry: () => entry(spec), warnings };
    prioritised(options).add("a", { priority: -100 });
  };
  add([7]);
  add({});
  add({ priority: { value: 5 } });
  assert.deepEqual(priorities, [7, -100, -100]);
  assert.deepEqual(warned, []);
});
