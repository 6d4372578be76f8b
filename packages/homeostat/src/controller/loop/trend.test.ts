import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../api/json.ts";
import { followTrend, type Trend } from "./trend.ts";

/** True when all of the values after the first follow a trend. */
function isSteady(values: readonly Json[]): boolean {
  let trend: Trend | undefined;
  return values.every((value) => {
    const next = followTrend(trend, new Map([["Box a", value]]));
    trend = next.trend;
    return next.isSteady;
  });
}
const ten = Array.from({ length: 10 }, (_, i) => i);

test("counts, texts and lists that only grow or only shrink are progress", () => {
  for (const of of [
    (i: number): Json => i,
    (i: number): Json => 10 - i,
    (i: number): Json => String(i + 95),
    (i: number): Json => "x".repeat(i),
    (i: number): Json => ten.slice(0, i),
    (i: number): Json => ({ done: i, at: `12:00:0${i}`, random: (i * 7) % 10 }),
    (i: number): Json => (i % 2 ? { a: i } : { b: i, c: "" }),
  ])
    assert.ok(isSteady(ten.map(of)), JSON.stringify(ten.map(of)));
});

test("times, random values and values that alternate are none", () => {
  for (const of of [
    (i: number): Json => `2026-01-01T00:00:0${i}Z`,
    (i: number): Json => 1_700_000_000_000 + i,
    (i: number): Json => String(1_700_000_000_000 + i),
    (i: number): Json => (i * 7) % 10,
    (i: number): Json => i % 2 === 0,
    (i: number): Json => (i < 9 ? i : 0),
  ])
    assert.ok(!isSteady(ten.map(of)), JSON.stringify(ten.map(of)));
});

test("the fields that are followed have bounds", () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`f${i}`, i]));
  assert.equal(followTrend(undefined, new Map([["Box a", many]])).trend.size, 100);
});
