import assert from "node:assert/strict";
import { it } from "node:test";
import { places, SharedHeartbeat, slots, textBytes, textsAt } from "./shared-heartbeat.ts";
import { checkWatchdog } from "./watchdog-options.ts";

const look = ({ memory }: SharedHeartbeat) => {
  const numbers = new Int32Array(memory, 0, places.lengths + slots);
  const texts = Buffer.from(memory, textsAt);
  const named = Array.from({ length: slots }, (_, slot) => {
    const length = numbers[places.lengths + slot]!;
    return texts.toString("utf8", slot * textBytes, slot * textBytes + length);
  });
  const current = numbers[places.current]!;
  return {
    running: numbers[places.running],
    current: current === 0 ? undefined : named[current - 1],
    named: named.filter((one) => one !== ""),
  };
};

it("names the reconciles that run, and the one whose code does", () => {
  const heart = new SharedHeartbeat();
  const a = heart.begin("orders shop/a");
  const b = heart.begin("orders shop/b");
  assert.equal(look(heart).current, "orders shop/b");
  heart.mark(a);
  assert.equal(look(heart).current, "orders shop/a");
  heart.end(b);
  assert.deepEqual(look(heart), {
    running: 1,
    current: "orders shop/a",
    named: ["orders shop/a"],
  });
  heart.mark(undefined);
  assert.equal(look(heart).current, undefined);
  heart.end(a);
  assert.deepEqual(look(heart), { running: 0, current: undefined, named: [] });
});

it("counts those that it cannot name, and has room again when some have ended", () => {
  const heart = new SharedHeartbeat();
  const begun = Array.from({ length: 40 }, (_, i) => heart.begin(`orders shop/${i}`));
  assert.equal(begun.filter((slot) => slot !== undefined).length, slots);
  assert.equal(look(heart).running, 40);
  for (const slot of begun) heart.end(slot);
  assert.equal(look(heart).running, 0);
  assert.notEqual(heart.begin("orders shop/again"), undefined);
});

it("cuts long names between characters", () => {
  const heart = new SharedHeartbeat();
  heart.begin("é".repeat(1000));
  assert.equal(look(heart).current, "é".repeat(textBytes / 2));
});

it("checks its options", () => {
  for (const fine of [undefined, true, false, {}, { afterMs: 500 }])
    assert.deepEqual(checkWatchdog(fine), []);
  assert.match(checkWatchdog(1)[0]!, /^watchdog is 1, expected true or options/);
  assert.match(checkWatchdog({ afterMs: 10 })[0]!, /^watchdog\.afterMs is 10, expected milli/);
  assert.match(checkWatchdog({ after: 10 })[0]!, /^watchdog\..*after/);
});
