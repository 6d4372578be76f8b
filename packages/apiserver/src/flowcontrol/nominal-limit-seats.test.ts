import assert from "node:assert/strict";
import { test } from "node:test";
import { nominalLimitSeats } from "./nominal-limit-seats.ts";

test("levels share 600 seats, rounded up; an exempt level has none unless it asks for some", () => {
  const level = (name: string, spec: object) => ({ metadata: { name }, spec });
  assert.deepEqual(
    [
      ...nominalLimitSeats([
        level("exempt", { type: "Exempt", exempt: {} }),
        level("catch-all", { type: "Limited", limited: { nominalConcurrencyShares: 5 } }),
        level("mine", { type: "Limited", limited: { nominalConcurrencyShares: 2 } }),
      ]),
    ],
    [
      ["exempt", 0],
      ["catch-all", 429],
      ["mine", 172],
    ],
  );
  assert.deepEqual([...nominalLimitSeats([level("a", {})])], [["a", 0]]);
});
