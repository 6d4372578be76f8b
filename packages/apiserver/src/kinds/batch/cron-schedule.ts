// Parses schedules of CronJobs, with the errors of upstream's library.
// Upstream: github.com/robfig/cron/v3 parser.go (ParseStandard),
// k8s.io/kubernetes/pkg/util/parsers/parsers.go, Go's strconv and time packages.
import { quoteGo } from "../../apimachinery/errors/field-error.ts";
import { parseGoDuration } from "../../apimachinery/values/go-duration.ts";

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const fields: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  {
    min: 1,
    max: 12,
    names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Values of one field; `any` when it asks for nothing in particular. */
export interface ScheduleField {
  readonly values: ReadonlySet<number>;
  readonly any: boolean;
}

/** Moments on the clock of a time zone (UTC where it names none), or a constant pause. */
export type Schedule =
  | { readonly everyMs: number }
  | {
      readonly zone: string;
      readonly minutes: ScheduleField;
      readonly hours: ScheduleField;
      readonly days: ScheduleField;
      readonly months: ScheduleField;
      readonly weekdays: ScheduleField;
    };

class ScheduleFault extends Error {}

/** Reads a schedule such as `0 3 * * *`, `@daily` or `TZ=Asia/Tokyo 0 3 * * *`. */
export function parseSchedule(
  schedule: string,
): { readonly schedule: Schedule } | { readonly fault: string } {
  try {
    return { schedule: read(schedule) };
  } catch (error) {
    if (error instanceof ScheduleFault) return { fault: error.message };
    throw error;
  }
}

/** What is wrong with a schedule; undefined when nothing is. */
export function scheduleFault(schedule: string): string | undefined {
  const parsed = parseSchedule(schedule);
  return "fault" in parsed ? parsed.fault : undefined;
}

const fail = (message: string): never => {
  throw new ScheduleFault(message);
};

function read(schedule: string): Schedule {
  let rest = schedule;
  let location = "";
  const zone = /^(?:CRON_)?TZ=/.exec(schedule);
  if (zone) {
    const end = schedule.indexOf(" ");
    if (end < 0)
      fail(`invalid schedule format: runtime error: slice bounds out of range [:${end}]`);
    const name = schedule.slice(zone[0].length, end);
    const fault = zoneFault(name);
    if (fault) fail(`provided bad location ${name}: ${fault}`);
    rest = schedule.slice(end).trim();
    location = name;
  }
  if (rest.startsWith("@every ")) return { everyMs: readPause(rest) };
  if (rest.startsWith("@")) rest = descriptors[rest] ?? fail(`unrecognized descriptor: ${rest}`);
  const parts = rest.split(/\s+/).filter(Boolean);
  if (parts.length !== fields.length)
    fail(`expected exactly ${fields.length} fields, found ${parts.length}: [${parts.join(" ")}]`);
  const [minutes, hours, days, months, weekdays] = parts.map((part, i) =>
    readField(part, fields[i]!),
  );
  return {
    zone: location === "" || location === "Local" ? "UTC" : location,
    minutes: minutes!,
    hours: hours!,
    days: days!,
    months: months!,
    weekdays: weekdays!,
  };
}

/** Whole seconds, and one at least. */
function readPause(text: string): number {
  const pause = parseGoDuration(text.slice("@every ".length));
  if ("fault" in pause) return fail(`failed to parse duration ${text}: ${pause.fault}`);
  return Math.max(1000, Number(pause.nanos / 1_000_000_000n) * 1000);
}

function readField(text: string, bounds: Bounds): ScheduleField {
  const ranges = text.split(",").filter(Boolean);
  const read = ranges.map((range) => readRange(range, bounds));
  const values = read.flatMap(({ start, end, step }) =>
    Array.from({ length: Math.floor((end - start) / step) + 1 }, (_, i) => start + i * step),
  );
  return { values: new Set(values), any: read.some(({ isAll, step }) => isAll && step === 1) };
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly step: number;
  readonly isAll: boolean;
}

function readRange(text: string, { min, max, names }: Bounds): Range {
  const steps = text.split("/");
  const ends = steps[0]!.split("-");
  const isAll = ends[0] === "*" || ends[0] === "?";
  let start = min;
  let end = max;
  if (!isAll) {
    start = readNumber(ends[0]!, names);
    if (ends.length > 2) fail(`too many hyphens: ${text}`);
    end = ends.length === 2 ? readNumber(ends[1]!, names) : start;
  }
  if (steps.length > 2) fail(`too many slashes: ${text}`);
  const step = steps.length === 2 ? readNumber(steps[1]!, undefined) : 1;
  if (steps.length === 2 && ends.length === 1) end = max;
  if (start < min) fail(`beginning of range (${start}) below minimum (${min}): ${text}`);
  if (end > max) fail(`end of range (${end}) above maximum (${max}): ${text}`);
  if (start > end) fail(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) fail(`step of range should be a positive number: ${text}`);
  return { start, end, step, isAll };
}

function readNumber(text: string, names: readonly string[] | undefined): number {
  const named = text ? (names?.indexOf(text.toLowerCase()) ?? -1) : -1;
  if (named >= 0) return named;
  if (!/^[+-]?[0-9]+$/.test(text))
    fail(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: invalid syntax`,
    );
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    fail(
      `failed to parse int from ${text}: strconv.Atoi: parsing ${quoteGo(text)}: value out of range`,
    );
  if (value < 0) fail(`negative number (${value}) not allowed: ${text}`);
  return value;
}

/**
 * The error of Go's LoadLocation for a time zone; undefined for an existing one. Names are
 * case-sensitive.
 */
export function zoneFault(name: string): string | undefined {
  if (name === "" || name === "UTC" || name === "Local") return undefined;
  if (name.includes("..") || name.startsWith("/") || name.includes("\\"))
    return "time: invalid location name";
  return isZone(name) ? undefined : `unknown time zone ${name}`;
}

function isZone(name: string): boolean {
  if (!name.split("/").every((part) => /^[A-Z]/.test(part) || /^(?:of|au|es)/.test(part)))
    return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
