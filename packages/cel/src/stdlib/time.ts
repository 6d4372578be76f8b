// getFullYear() and the other parts of timestamps and durations, in UTC or a named or numeric zone.
// Upstream: github.com/google/cel-go v0.26 common/stdlib/standard.go, common/types/timestamp.go,
// duration.go.
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  type Overload,
} from "../functions/declarations.ts";
import { durationType, intType, stringType, timestampType } from "../types/type.ts";
import { CelError } from "../values/cel-error.ts";
import type { Duration } from "../values/duration.ts";
import { normalInt } from "../values/int.ts";
import type { Timestamp } from "../values/timestamp.ts";

/** A date whose UTC fields are the local time of the zone. */
function localDate(timestamp: Timestamp, zone: string): Date {
  return new Date((timestamp.seconds + zoneOffset(timestamp, zone)) * 1000);
}

/** Seconds east of UTC at an instant. */
function zoneOffset(timestamp: Timestamp, zone: string): number {
  const colon = zone.indexOf(":");
  if (colon < 0) return namedOffset(timestamp, zone);
  const hours = parseGoInt(zone.slice(0, colon));
  const minutes = parseGoInt(zone.slice(colon + 1));
  return (zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes) * 60;
}

function parseGoInt(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw new CelError(`strconv.Atoi: parsing "${text}": invalid syntax`);
  return Number(text);
}

/** The offset that the zone's clock shows at the instant, e.g. `GMT-05:00`. */
function namedOffset(timestamp: Timestamp, zone: string): number {
  if (zone === "" || zone === "UTC") return 0;
  const [, sign, ...parts] = shownOffset.exec(formatOf(zone).format(timestamp.seconds * 1000))!;
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  return (sign === "-" ? -1 : 1) * (hours * 3600 + minutes * 60 + seconds);
}

const shownOffset = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function formatOf(zone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset" });
  } catch {
    throw new CelError(`unknown time zone ${zone}`);
  }
}

const dayOfYear = (date: Date): number =>
  Math.floor(
    (Date.UTC(2000, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(2000, 0, 1)) / 86_400_000,
  ) - (isLeap(date.getUTCFullYear()) || date.getUTCMonth() < 2 ? 0 : 1);
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

type Part = (date: Date, timestamp: Timestamp) => number;

function timestampPart(id: string, part: Part): readonly Overload[] {
  const inUtc: Implementation = (value) =>
    part(new Date((value as Timestamp).seconds * 1000), value as Timestamp);
  const inZone: Implementation = (value, zone) =>
    part(localDate(value as Timestamp, zone as string), value as Timestamp);
  return [
    member(`timestamp_to_${id}`, [timestampType], intType, inUtc),
    member(`timestamp_to_${id}_with_tz`, [timestampType, stringType], intType, inZone),
  ];
}

function durationPart(id: string, nanoseconds: bigint): Overload {
  return member(`duration_to_${id}`, [durationType], intType, (value) =>
    normalInt((value as Duration).nanoseconds / nanoseconds),
  );
}

const declare = (
  name: string,
  id: string,
  part: Part,
  ...more: Overload[]
): FunctionDeclaration => ({ name, overloads: [...timestampPart(id, part), ...more] });

/** A part that durations have too: there it is the whole number of units. */
const clockPart = (
  name: string,
  id: string,
  nanoseconds: bigint,
  part: Part,
): FunctionDeclaration => declare(name, id, part, durationPart(id, nanoseconds));

/** Parts of times. */
export const timeFunctions: readonly FunctionDeclaration[] = [
  declare("getFullYear", "year", (date) => date.getUTCFullYear()),
  declare("getMonth", "month", (date) => date.getUTCMonth()),
  declare("getDayOfYear", "day_of_year", dayOfYear),
  declare("getDayOfMonth", "day_of_month", (date) => date.getUTCDate() - 1),
  declare("getDate", "day_of_month_1_based", (date) => date.getUTCDate()),
  declare("getDayOfWeek", "day_of_week", (date) => date.getUTCDay()),
  clockPart("getHours", "hours", 3_600_000_000_000n, (date) => date.getUTCHours()),
  clockPart("getMinutes", "minutes", 60_000_000_000n, (date) => date.getUTCMinutes()),
  clockPart("getSeconds", "seconds", 1_000_000_000n, (date) => date.getUTCSeconds()),
  clockPart("getMilliseconds", "milliseconds", 1_000_000n, (_date, { nanos }) =>
    Math.floor(nanos / 1_000_000),
  ),
];
