import assert from "node:assert/strict";
import { it } from "node:test";
import type { Kind } from "../../api/kind.ts";
import type { CachedObject, Informer, InformerHandler } from "../../cache/informer.ts";
import { createVirtualRuntime } from "../../runtime/virtual-runtime.ts";
import { defineSignal } from "./define-signal.ts";
import { OverdueSignals } from "./overdue-signals.ts";
import type { SignalCarrier } from "./signal.ts";

const on = { apiVersion: "x/v1", kind: "Box", resource: "boxes", scope: "Namespaced" } as Kind;
const by = { on, setBy: ["filler"], clearedBy: ["emptier"] };
const minute = 60_000;
const annotation: SignalCarrier = { annotation: "x.com/full" };

/** Watches one signal on a virtual clock that starts at 0. */
function play(carrier: SignalCarrier = annotation) {
  const { clock, advance } = createVirtualRuntime();
  const begin = clock.now();
  const said: string[] = [];
  const entries = new Map<string, CachedObject>();
  let handler: InformerHandler = {};
  const informer = {
    addHandler: (given: InformerHandler) => ((handler = given), { remove() {} }),
    entry: (key: string) => entries.get(key),
  } as unknown as Informer;
  const signals = new OverdueSignals({
    signals: [defineSignal({ name: "full", carrier: carrier as never, within: "10m", ...by })],
    clock,
    informer: () => informer,
    overdue: (_, { key }) => void said.push(`${key} ${(clock.now() - begin) / minute}`),
    cleared: (_, key) => void said.push(`${key} cleared`),
  });
  const show = (object: { metadata?: object; status?: object }): void => {
    const metadata = { name: "a", namespace: "ns", ...object.metadata };
    const text = (field: string): string => JSON.stringify((metadata as any)[field] ?? {});
    const entry = {
      key: "ns/a",
      deleting: "deletionTimestamp" in metadata,
      metadataText: text,
      read: () => ({ ...object, metadata }),
    } as unknown as CachedObject;
    const old = entries.get("ns/a");
    entries.set("ns/a", entry);
    if (old) handler.updated!(old, entry, { through: "watch", ownWrite: false });
    else handler.added!(entry, { through: "initial", ownWrite: false });
  };
  const at = (minutes: number): string => new Date(begin + minutes * minute).toISOString();
  const remove = (): void => handler.deleted!(entries.get("ns/a")!, {} as never);
  return { advance, at, show, said, remove, signals };
}

const set = { annotations: { "x.com/full": "true" } };

it("counts from the time that managedFields tell, which a restart does not change", async () => {
  const { advance, at, show, said, signals } = play();
  const managedFields = [
    {
      manager: "op/filler/signal.full",
      time: at(-4),
      fieldsV1: { "f:metadata": { "f:annotations": { "f:x.com/full": {} } } },
    },
  ];
  show({ metadata: { ...set, managedFields } });
  await advance(5 * minute);
  show({ metadata: { ...set, managedFields, resourceVersion: "2" } });
  assert.deepEqual(said, []);
  assert.equal(signals.messageOf("Box", "ns/a"), undefined);
  await advance(minute);
  assert.deepEqual(said, ["ns/a 6"]);
  assert.match(signals.messageOf("Box", "ns/a")!, /and "emptier" has not cleared it$/);
  assert.equal(signals.messageOf("Other", "ns/a"), undefined);
  show({ metadata: {} });
  assert.deepEqual(said, ["ns/a 6", "ns/a cleared"]);
  assert.equal(signals.messageOf("Box", "ns/a"), undefined);
});

it("counts from when it was first seen, where nothing tells; a new setting begins anew", async () => {
  const { advance, show, said } = play();
  show({ metadata: set });
  await advance(9 * minute);
  show({ metadata: { ...set, resourceVersion: "2" } });
  show({ metadata: { annotations: {} } });
  show({ metadata: set });
  await advance(9 * minute);
  assert.deepEqual(said, []);
  await advance(minute);
  assert.deepEqual(said, ["ns/a 19"]);
  await advance(60 * minute);
  assert.equal(said.length, 1, "once");
});

it("of a finalizer from the deletion, of a condition from its transition", async () => {
  const finalizer = play({ finalizer: "x.com/full" });
  finalizer.show({ metadata: { finalizers: ["x.com/full"] } });
  await finalizer.advance(60 * minute);
  assert.deepEqual(finalizer.said, []);
  const deletionTimestamp = finalizer.at(60);
  finalizer.show({ metadata: { finalizers: ["x.com/full"], deletionTimestamp } });
  await finalizer.advance(10 * minute);
  finalizer.remove();
  assert.deepEqual(finalizer.said, ["ns/a 70", "ns/a cleared"]);
  const condition = play({ condition: "Full" });
  const full = { type: "Full", status: "True", lastTransitionTime: condition.at(-12) };
  condition.show({ status: { conditions: [full] } });
  await condition.advance(1);
  assert.equal(condition.said.length, 1);
  const stopped = play();
  stopped.show({ metadata: set });
  stopped.signals.stop();
  await stopped.advance(60 * minute);
  assert.deepEqual(stopped.said, []);
});

it("is refused when its definition is wrong", () => {
  assert.throws(
    () => defineSignal({ name: "Full!", carrier: {} as never, within: "soon", ...by, setBy: [] }),
    {
      code: "ERR_SIGNAL_DEFINITION",
      message: /"Full!": name: .*; carrier: .*; setBy: .*; within: /,
    },
  );
  const define = (on: object, carrier: object) => () =>
    defineSignal({ ...by, on, name: "full", carrier } as never);
  const on = { apiVersion: "example.com/v1", kind: "Box", definition: { conditions: ["Ready"] } };
  assert.throws(define(on, { annotation: "is full" }), {
    message: /signal "full": carrier: annotation "is full": name part must consist of/,
  });
  assert.throws(define(on, { condition: "Redy" }), {
    message: /signal "full": carrier: Box has no condition "Redy"; expected one of Ready/,
  });
  define(on, { condition: "Ready" })();
});
