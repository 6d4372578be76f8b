import assert from "node:assert/strict";
import { test } from "node:test";
import { type Breach, Breaches } from "../boundaries/breaches.ts";
import type { Signal } from "./signal.ts";
import { followSignals } from "./unlisted-signals.ts";

const signal = (name: string): Signal =>
  ({ name, carrier: { annotation: `example.com/${name}` } }) as unknown as Signal;

test("a signal that is not listed is reported once, whatever copy of one that is listed is used", () => {
  const found: Breach[] = [];
  const breaches = new Breaches("box", (_, breach) => void found.push(breach));
  const definition = { name: "box", kind: { kind: "Box" }, signals: [signal("listed")] };
  for (const name of ["a", "b"]) {
    const object = { metadata: { name, namespace: "n" } } as never;
    const use = followSignals({ definition, breaches }, object);
    for (const one of [...definition.signals, signal("listed"), signal("full"), signal("full")])
      use.uses(one);
  }
  assert.deepEqual(
    found.map(({ object, message }) => `${object}: ${message}`),
    [
      'Box n/a: "box" sets or clears the signal full (annotation example.com/full), which it does not list',
    ],
  );
});
