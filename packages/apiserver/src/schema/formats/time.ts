// Dates, date-times and durations as strfmt accepts them: date-times are lenient, and a duration is
// any string that contains one, such as `about 3 weeks`.
// Upstream: k8s.io/kube-openapi/pkg/validation/strfmt date.go, time.go, duration.go; Go's time
// package.
import { parseGoDuration } from "../../apimachinery/values/go-duration.ts";

const dayPattern = /^(\d{4})-(\d{2})-(\d{2})$/;
const clockPattern = /^([0-9]{2}):([0-9]{2}):([0-9]{2})([^\n][0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/;
const looseDuration = /(\d+)[\t\n\f\r ]*([A-Za-zµ]+)/g;
const wholeNumbers = /(?<![.\d])\d+/g;
const maxInt64 = 2n ** 63n - 1n;

/**
 * The names of each unit; the last one may be a prefix: `microfortnight` counts as micro.
 */
const units: readonly (readonly string[])[] = [
  ["ns", "nano"],
  ["us", "µs", "micro"],
  ["ms", "milli"],
  ["s", "sec"],
  ["m", "min"],
  ["h", "hr", "hour"],
  ["d", "day"],
  ["w", "wk", "week"],
];

/** `2006-01-02`, an existing day. */
export function isDate(text: string): boolean {
  const match = dayPattern.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** Days of a month in the Gregorian calendar. */
export function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** `2006-01-02T15:04:05.000Z`; text after a second `t` is ignored. */
export function isDateTime(text: string): boolean {
  if (Buffer.byteLength(text) < 4) return false;
  const [day, clock] = text.toLowerCase().split("t");
  if (clock === undefined || !isDate(day!)) return false;
  const match = clockPattern.exec(clock);
  return match !== null && match[1]! <= "23" && match[2]! <= "59" && match[3]! <= "59";
}

/** What time.ParseDuration accepts, or a string with at least one number before a unit. */
export function isDuration(text: string): boolean {
  if (
    "nanos" in parseGoDuration(text) &&
    !text.match(wholeNumbers)?.some((digits) => BigInt(digits) > maxInt64)
  )
    return true;
  let found = false;
  for (const [, digits, word] of text.matchAll(looseDuration)) {
    if (BigInt(digits!) > maxInt64) return false;
    const unit = word!.toLowerCase();
    found ||= units.some((names) => names.includes(unit) || unit.startsWith(names.at(-1)!));
  }
  return found;
}
