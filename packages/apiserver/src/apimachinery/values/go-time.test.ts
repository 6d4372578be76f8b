import assert from "node:assert/strict";
import { test } from "node:test";
import {
  formatGoTime,
  GoTimeError,
  type GoTimeLayout,
  parseGoTime,
  rfc3339,
  rfc3339Micro,
} from "./go-time.ts";

const round = (text: string, layout: GoTimeLayout): string | null =>
  formatGoTime(parseGoTime(text, layout), layout);
const fault = (text: string, layout: GoTimeLayout): string => {
  try {
    return `no fault: ${round(text, layout)}`;
  } catch (error) {
    assert.ok(error instanceof GoTimeError);
    return error.message;
  }
};

test("times come back in UTC and second precision", () => {
  assert.equal(round("2024-02-29T23:59:59+01:30", rfc3339), "2024-02-29T22:29:59Z");
  assert.equal(round("2024-01-01T01:02:03.987654321Z", rfc3339), "2024-01-01T01:02:03Z");
  assert.equal(round("0001-01-01T00:00:00Z", rfc3339), null);
});

test("a MicroTime keeps six digits and takes no other number of them", () => {
  assert.equal(round("2024-01-01T01:02:03.000042Z", rfc3339Micro), "2024-01-01T01:02:03.000042Z");
  const layout = '"2006-01-02T15:04:05.000000Z07:00"';
  assert.equal(
    fault("2024-01-01T01:02:03Z", rfc3339Micro),
    `parsing time "2024-01-01T01:02:03Z" as ${layout}: cannot parse "Z" as ".000000"`,
  );
  assert.equal(
    fault("2024-01-01T01:02:03.1Z", rfc3339Micro),
    `parsing time "2024-01-01T01:02:03.1Z" as ${layout}: cannot parse ".1Z" as ".000000"`,
  );
  assert.equal(
    fault("2024-01-01T01:02:03.123456789Z", rfc3339Micro),
    `parsing time "2024-01-01T01:02:03.123456789Z" as ${layout}: cannot parse "789Z" as "Z07:00"`,
  );
});

test("faults read as Go's", () => {
  const layout = '"2006-01-02T15:04:05Z07:00"';
  const faults: Readonly<Record<string, string>> = {
    "": ` as ${layout}: cannot parse "" as "2006"`,
    "2024": ` as ${layout}: cannot parse "" as "-"`,
    "2024-13-01T00:00:00Z": ": month out of range",
    "2023-02-29T00:00:00Z": ": day out of range",
    "2024-01-01T24:00:00Z": ": hour out of range",
    "2024-01-01T00:00:00Zx": ': extra text: "x"',
    "2024-01-01 00:00:00Z": ` as ${layout}: cannot parse " 00:00:00Z" as "T"`,
  };
  for (const [text, expected] of Object.entries(faults))
    assert.equal(fault(text, rfc3339), `parsing time "${text}"${expected}`);
  const shown = '"\\xc3\\xa9\\\\\\x0a"';
  assert.equal(
    fault("é\\\n", rfc3339),
    `parsing time ${shown} as ${layout}: cannot parse ${shown} as "2006"`,
  );
});
