import assert from "node:assert/strict";
import { test } from "node:test";
import { readSchedule } from "./next-time.ts";
import { zoneClock } from "./zone-clock.ts";

/** The next moments, as robfig/cron gives them. */
function nextOf(
  schedule: string,
  timeZone: string,
  from: string,
  count = 3,
): readonly (string | undefined)[] {
  const read = readSchedule({ schedule, timeZone });
  assert.ok("schedule" in read, "fault" in read ? read.fault : "");
  let at: number | undefined = Date.parse(from);
  return Array.from({ length: count }, () => {
    at = at === undefined ? undefined : read.schedule.next(at);
    return at === undefined ? undefined : new Date(at).toISOString().replace(".000Z", "Z");
  });
}

test("fires at the times that the fields name, in UTC by default", () => {
  assert.deepEqual(nextOf("*/20 9-10 * * *", "UTC", "2026-03-01T09:30:15.5Z", 4), [
    "2026-03-01T09:40:00Z",
    "2026-03-01T10:00:00Z",
    "2026-03-01T10:20:00Z",
    "2026-03-01T10:40:00Z",
  ]);
  assert.deepEqual(nextOf("@monthly", "UTC", "2026-01-31T23:59:59Z"), [
    "2026-02-01T00:00:00Z",
    "2026-03-01T00:00:00Z",
    "2026-04-01T00:00:00Z",
  ]);
  assert.deepEqual(nextOf("0 12 29 feb *", "UTC", "2026-01-01T00:00:00Z", 1), [
    "2028-02-29T12:00:00Z",
  ]);
  assert.deepEqual(
    nextOf("0 0 1 * mon", "UTC", "2026-06-01T00:00:00Z"),
    ["2026-06-08T00:00:00Z", "2026-06-15T00:00:00Z", "2026-06-22T00:00:00Z"],
    "days or weekdays",
  );
  assert.deepEqual(
    nextOf("0 0 */2 * mon", "UTC", "2026-06-01T00:00:00Z", 2),
    ["2026-06-03T00:00:00Z", "2026-06-05T00:00:00Z"],
    "a step is no longer any",
  );
});

test("a pause counts from the moment before, in whole seconds", () => {
  assert.deepEqual(nextOf("@every 1h30m10.9s", "UTC", "2026-01-01T00:00:00.7Z", 2), [
    "2026-01-01T01:30:10Z",
    "2026-01-01T03:00:20Z",
  ]);
  assert.deepEqual(nextOf("@every 10ms", "UTC", "2026-01-01T00:00:00Z", 1), [
    "2026-01-01T00:00:01Z",
  ]);
});

test("never fires on a day that no month has", () =>
  assert.deepEqual(nextOf("59 23 31 2 *", "UTC", "2026-01-01T00:00:00Z", 1), [undefined]));

test("follows the clocks of its zone, whatever they do", () => {
  const cases = [
    {
      why: "an hour that is left out",
      next: nextOf("30 2 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", 3),
      expected: ["2026-03-28T01:30:00Z", "2026-03-30T00:30:00Z", "2026-03-31T00:30:00Z"],
    },
    {
      why: "an hour that comes twice",
      next: nextOf("30 1 * * *", "America/New_York", "2026-10-31T12:00:00Z", 3),
      expected: ["2026-11-01T05:30:00Z", "2026-11-01T06:30:00Z", "2026-11-02T06:30:00Z"],
    },
    {
      why: "a midnight that is left out",
      next: nextOf("0 0 * * *", "Asia/Beirut", "2024-03-29T22:00:00Z", 2),
      expected: ["2024-03-31T21:00:00Z", "2024-04-01T21:00:00Z"],
    },
  ];
  for (const { why, next, expected } of cases) assert.deepEqual(next, expected, why);
});

test("a schedule that cannot be read says why", () => {
  assert.deepEqual(readSchedule({ schedule: "* * *" }), {
    fault: "expected exactly 5 fields, found 3: [* * *]",
  });
  assert.deepEqual(readSchedule({ schedule: "TZ=Mars/Base * * * * *" }), {
    fault: "provided bad location Mars/Base: unknown time zone Mars/Base",
  });
});

test("times are formatted as in RFC 3339", () => {
  const at = Date.parse("2026-07-01T00:00:00Z");
  assert.deepEqual(
    ["UTC", "Asia/Kathmandu", "America/Sao_Paulo", "Europe/Berlin"].map((zone) =>
      zoneClock(zone).format(at),
    ),
    [
      "2026-07-01T00:00:00Z",
      "2026-07-01T05:45:00+05:45",
      "2026-06-30T21:00:00-03:00",
      "2026-07-01T02:00:00+02:00",
    ],
  );
});
