// Local time in a time zone, and the instant of a local time. Pure.
// Upstream: Go's time package (Date, In, Format); where a clock shows a time twice or never, the
// choice is Go's.
const zeroOffset = (): number => 0;

/** A local time; months count from 1, weekdays from Sunday as 0. */
export interface ClockFields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
}

/** The clock of one time zone. */
export interface ZoneClock {
  fields(at: number): ClockFields;
  /** The instant of a local time; days and months may overflow. */
  moment(shown: Omit<ClockFields, "weekday">): number;
  /** As in RFC 3339, e.g. `2026-01-01T09:00:00+09:00`. */
  format(at: number): string;
}

/** The clock of a zone of the IANA database, e.g. `Asia/Tokyo`. */
export function zoneClock(zone: string): ZoneClock {
  const offset = zone === "UTC" || zone === "" ? zeroOffset : offsets(zone);
  return {
    fields(at) {
      const shown = new Date(at + offset(at));
      return {
        year: shown.getUTCFullYear(),
        month: shown.getUTCMonth() + 1,
        day: shown.getUTCDate(),
        hour: shown.getUTCHours(),
        minute: shown.getUTCMinutes(),
        second: shown.getUTCSeconds(),
        weekday: shown.getUTCDay(),
      };
    },
    moment({ year, month, day, hour, minute, second }) {
      const shown = Date.UTC(year, month - 1, day, hour, minute, second);
      const guess = offset(shown);
      return guess === 0 ? shown : shown - offset(shown - guess);
    },
    format(at) {
      const minutes = offset(at) / 60_000;
      const shown = new Date(at + minutes * 60_000).toISOString().slice(0, 19);
      if (minutes === 0) return `${shown}Z`;
      const two = (value: number): string => String(Math.trunc(value)).padStart(2, "0");
      return `${shown}${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
    },
  };
}

/** Milliseconds that clocks of a zone are ahead of UTC. */
function offsets(zone: string): (at: number) => number {
  const numeric = "2-digit";
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const [year, month, day, hour, minute, second] = shownFields.map(
      (type) => parts.get(type) ?? 0,
    );
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  };
}

const shownFields = ["year", "month", "day", "hour", "minute", "second"] as const;
