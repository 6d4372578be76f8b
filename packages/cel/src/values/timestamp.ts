// timestamp: an instant with nanoseconds, and the offset that it was written with, which only its
// text form shows.
// Upstream: github.com/google/cel-go v0.26 common/types/timestamp.go; Go's time.Parse(RFC3339).
import { timestampType } from "../types/type.ts";
import { CelError, noSuchOverload } from "./cel-error.ts";
import { type Duration, toDuration } from "./duration.ts";
import { CelObject, type CelValue } from "./value.ts";

const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;
const second = 1_000_000_000n;

/** A timestamp value. `offset` is seconds east of UTC. */
export class Timestamp extends CelObject {
  readonly type = timestampType;
  readonly seconds: number;
  readonly nanos: number;
  readonly offset: number;

  constructor(seconds: number, nanos: number, offset: number) {
    super();
    this.seconds = seconds;
    this.nanos = nanos;
    this.offset = offset;
  }

  equals(other: CelValue): boolean {
    return (
      other instanceof Timestamp && other.seconds === this.seconds && other.nanos === this.nanos
    );
  }

  compare(other: CelValue): number {
    if (!(other instanceof Timestamp)) throw noSuchOverload();
    return Math.sign(this.seconds - other.seconds || this.nanos - other.nanos);
  }

  override isZero(): boolean {
    return this.seconds === minSeconds && this.nanos === 0;
  }

  plus(duration: Duration): Timestamp {
    const total = BigInt(this.seconds) * second + BigInt(this.nanos) + duration.nanoseconds;
    const nanos = ((total % second) + second) % second;
    return toTimestamp(Number((total - nanos) / second), Number(nanos), this.offset);
  }

  minus(other: Timestamp): Duration {
    const difference =
      (BigInt(this.seconds) - BigInt(other.seconds)) * second + BigInt(this.nanos - other.nanos);
    try {
      return toDuration(difference);
    } catch {
      throw new CelError("integer overflow");
    }
  }

  /** RFC 3339 with as many fraction digits as needed, e.g. `2009-02-13T23:31:30.5Z`. */
  format(): string {
    const date = new Date((this.seconds + this.offset) * 1000);
    const year = String(date.getUTCFullYear()).padStart(4, "0");
    const head = `${year}${date
      .toISOString()
      .replace(/^[+-]?\d+/, "")
      .slice(0, 15)}`;
    const fraction = this.nanos ? `.${String(this.nanos).padStart(9, "0").replace(/0+$/, "")}` : "";
    return head + fraction + formatOffset(this.offset);
  }

  toString(): string {
    const [day = "", rest = ""] = this.format().split("T");
    const zone =
      this.offset === 0
        ? "+0000 UTC"
        : formatOffset(this.offset)
            .replace(":", "")
            .repeat(2)
            .replace(/^(.{5})/, "$1 ");
    return `${day} ${rest.replace(/(Z|[+-]\d\d:\d\d)$/, "")} ${zone}`;
  }
}

function formatOffset(offset: number): string {
  if (offset === 0) return "Z";
  const minutes = Math.floor(Math.abs(offset) / 60);
  return `${offset < 0 ? "-" : "+"}${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** Whether seconds since 1970 lie in the years 1 to 9999. */
export const isInRange = (seconds: number): boolean =>
  seconds >= minSeconds && seconds <= maxSeconds;

/** A timestamp, or an error outside the years 1 to 9999. */
export function toTimestamp(seconds: number, nanos: number, offset: number): Timestamp {
  if (!isInRange(seconds)) throw new CelError("timestamp overflow");
  return new Timestamp(seconds, nanos, offset);
}

const rfc3339 =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:Z|([+-])(\d\d):(\d\d))$/;

/** RFC 3339 as Go reads it; undefined where Go refuses it. Range is not checked. */
export function parseRfc3339(
  text: string,
): { readonly seconds: number; readonly nanos: number; readonly offset: number } | undefined {
  const match = rfc3339.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, secondOfMinute = 0] = match
    .slice(1, 7)
    .map(Number);
  const offsetHours = Number(match[9] ?? 0);
  const offsetMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || secondOfMinute > 59 || offsetHours > 24 || offsetMinutes > 60)
    return undefined;
  const local = dateSeconds(year, month, day);
  if (local === undefined) return undefined;
  const offset = (match[8] === "-" ? -1 : 1) * (offsetHours * 3600 + offsetMinutes * 60);
  return {
    seconds: local + hour * 3600 + minute * 60 + secondOfMinute - offset,
    nanos: Number((match[7] ?? "").slice(0, 9).padEnd(9, "0")),
    offset: offset + 0,
  };
}

/** Seconds of a date's midnight in UTC, or undefined for a date that does not exist. */
export function dateSeconds(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCFullYear() === year &&
    date.getUTCMonth() === month - 1 &&
    date.getUTCDate() === day
    ? date.getTime() / 1000
    : undefined;
}

/**
 * The format `date-time` of schemas: RFC 3339 with its letters in any case, also without colon or
 * zone.
 */
export function parseFormatDateTime(text: string): Timestamp | undefined {
  const strict = text
    .trim()
    .toUpperCase()
    .replace(" ", "T")
    .replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
  const parsed =
    parseRfc3339(strict) ?? parseRfc3339(`${strict}Z`) ?? parseRfc3339(`${strict}:00Z`);
  return parsed && new Timestamp(parsed.seconds, parsed.nanos, parsed.offset);
}

/** The format `date` of schemas, e.g. `2024-02-29`. */
export function parseFormatDate(text: string): Timestamp | undefined {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const seconds = match && dateSeconds(Number(match[1]), Number(match[2]), Number(match[3]));
  return seconds === undefined || seconds === null ? undefined : new Timestamp(seconds, 0, 0);
}
