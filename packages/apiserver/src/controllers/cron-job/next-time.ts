// The next time of a schedule. Pure.
// Upstream: github.com/robfig/cron/v3 (spec.go, constantdelay.go), days on which clocks skip
// midnight included.
import {
  parseSchedule,
  type Schedule,
  type ScheduleField,
} from "../../kinds/batch/cron-schedule.ts";
import { type ClockFields, type ZoneClock, zoneClock } from "./zone-clock.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;
const midnight = { hour: 0, minute: 0, second: 0 };
/** A schedule that does not fire within so many years never does. */
const patienceYears = 5;

/** A parsed schedule. */
export interface ScheduleTimes {
  /** The first time after `after`; undefined if there is none. */
  next(after: number): number | undefined;
}

/**
 * Parses a schedule and its time zone. A zone in the schedule itself, which is unsupported, takes
 * precedence.
 */
export function readSchedule({
  schedule,
  timeZone,
}: {
  readonly schedule: string;
  readonly timeZone?: string;
}): { readonly schedule: ScheduleTimes } | { readonly fault: string } {
  const parsed = parseSchedule(
    timeZone === undefined || schedule.includes("TZ") ? schedule : `TZ=${timeZone} ${schedule}`,
  );
  return "fault" in parsed ? parsed : { schedule: scheduleTimes(parsed.schedule) };
}

function scheduleTimes(schedule: Schedule): ScheduleTimes {
  const wholeSecond = (at: number): number => Math.floor(at / 1000) * 1000;
  if ("everyMs" in schedule) return { next: (after) => wholeSecond(after) + schedule.everyMs };
  const clock = zoneClock(schedule.zone);
  return { next: (after) => search(schedule, clock, wholeSecond(after) + 1000) };
}

type Spec = Exclude<Schedule, { readonly everyMs: number }>;

/**
 * Advances the largest field that does not match until all do. The first move goes to the start of
 * the field; where the clock skips that, later moves continue from the resulting time.
 */
function search(spec: Spec, clock: ZoneClock, from: number): number | undefined {
  const lastYear = clock.fields(from).year + patienceYears;
  let at = from;
  for (let moved = false; ; moved = true) {
    const shown = clock.fields(at);
    const { year, month, day, hour, minute, second } = shown;
    if (year > lastYear) return undefined;
    if (!spec.months.values.has(month))
      at = clock.moment({
        ...(moved ? shown : { ...shown, ...midnight, day: 1 }),
        month: month + 1,
      });
    else if (!fitsDay(spec, shown))
      at = atMidnight(clock, clock.moment({ ...shown, ...(moved ? {} : midnight), day: day + 1 }));
    else if (!spec.hours.values.has(hour))
      at = (moved ? at : clock.moment({ ...shown, minute: 0, second: 0 })) + hourMs;
    else if (!spec.minutes.values.has(minute) || second !== 0) at = at - (at % minuteMs) + minuteMs;
    else return at;
  }
}

/** If both days and weekdays are given, either matches. */
function fitsDay({ days, weekdays }: Spec, { day, weekday }: ClockFields): boolean {
  const fits = ({ values }: ScheduleField, value: number): boolean => values.has(value);
  return days.any || weekdays.any
    ? fits(days, day) && fits(weekdays, weekday)
    : fits(days, day) || fits(weekdays, weekday);
}

/** Rounds to the nearest midnight when the clock was changed over midnight. */
function atMidnight(clock: ZoneClock, at: number): number {
  const { hour } = clock.fields(at);
  if (hour === 0) return at;
  return hour > 12 ? at + (24 - hour) * hourMs : at - hour * hourMs;
}
