// Parses and formats times as Go does: RFC 3339 in second precision (Time) and with exactly six
// fraction digits (MicroTime). Parse errors have Go's messages, which 400 responses contain.
// Upstream: Go's time package (format.go, parse), k8s.io/apimachinery/pkg/apis/meta/v1 time.go and
// micro_time.go.
import { quoteBytes } from "./quote-bytes.ts";

/** The two layouts that the API uses. */
export type GoTimeLayout = "2006-01-02T15:04:05Z07:00" | "2006-01-02T15:04:05.000000Z07:00";

export const rfc3339: GoTimeLayout = "2006-01-02T15:04:05Z07:00";
export const rfc3339Micro: GoTimeLayout = "2006-01-02T15:04:05.000000Z07:00";

/** An instant: milliseconds would lose what a MicroTime holds. */
export interface GoTime {
  readonly seconds: number;
  readonly micros: number;
}

/** The text is not a time of the layout; `message` is Go's. */
export class GoTimeError extends Error {
  override readonly name = "GoTimeError";
}

const chunks = /2006|01|02|15|04|05|\.000000|Z07:00|[-T:]/g;
const ranges: Readonly<Record<string, readonly [number, number, string]>> = {
  "01": [1, 12, "month"],
  "15": [0, 23, "hour"],
  "04": [0, 59, "minute"],
  "05": [0, 59, "second"],
};

/** Parses as Go's time.Parse does, e.g. `2026-11-21T10:00:00+01:00`. Throws {@link GoTimeError}. */
export function parseGoTime(text: string, layout: GoTimeLayout): GoTime {
  const read = new Reading(text, layout);
  for (const chunk of layout.match(chunks)!) read.chunk(chunk);
  return read.finish();
}

/** `2026-11-21T09:00:00Z`, or with six digits; null for Go's zero time, as its JSON form is. */
export function formatGoTime(time: GoTime, layout: GoTimeLayout): string | null {
  if (time.seconds === zeroSeconds && time.micros === 0) return null;
  const text = new Date(time.seconds * 1000).toISOString().replace(/^([+-])0*(\d{4,})/, "$2");
  const whole = text.slice(0, text.indexOf("."));
  return layout === rfc3339 ? `${whole}Z` : `${whole}.${String(time.micros).padStart(6, "0")}Z`;
}

const zeroSeconds = Date.parse("0001-01-01T00:00:00Z") / 1000;

/** In the form in which times are written, in UTC, and certainly valid: the year 1 may be zero. */
const written =
  /^[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** True for most times of objects that were stored before: reading them changes nothing. */
export const isWrittenTime = (text: string, layout: GoTimeLayout): boolean =>
  layout === rfc3339 && written.test(text);

class Reading {
  readonly #text: string;
  readonly #layout: string;
  readonly #parts: Record<string, number> = {};
  #rest: string;
  #nanos = 0;
  #offsetSeconds = 0;

  constructor(text: string, layout: string) {
    this.#text = text;
    this.#rest = text;
    this.#layout = layout;
  }

  chunk(chunk: string): void {
    if (chunk === "2006") this.#year();
    else if (chunk === "Z07:00") this.#zone();
    else if (chunk === ".000000") this.#fraction();
    else if (/\d/.test(chunk)) this.#number(chunk);
    else if (this.#rest.startsWith(chunk)) this.#rest = this.#rest.slice(chunk.length);
    else this.#bad(chunk, this.#rest);
  }

  finish(): GoTime {
    if (this.#rest)
      throw new GoTimeError(
        `parsing time ${quoteBytes(this.#text)}: extra text: ${quoteBytes(this.#rest)}`,
      );
    const part = (name: string): number => this.#parts[name]!;
    const date = new Date(0);
    date.setUTCFullYear(part("2006"), part("01"), 0);
    if (part("02") < 1 || part("02") > date.getUTCDate()) this.#range("day");
    date.setUTCFullYear(part("2006"), part("01") - 1, part("02"));
    date.setUTCHours(part("15"), part("04"), part("05"));
    return {
      seconds: date.getTime() / 1000 - this.#offsetSeconds,
      micros: Math.floor(this.#nanos / 1000),
    };
  }

  #year(): void {
    if (!/^\d{4}/.test(this.#rest)) this.#bad("2006", this.#rest);
    this.#parts["2006"] = Number(this.#rest.slice(0, 4));
    this.#rest = this.#rest.slice(4);
  }

  #number(chunk: string): void {
    const hold = this.#rest;
    const digits = (chunk === "15" ? /^\d\d?/ : /^\d\d/).exec(hold);
    if (!digits) this.#bad(chunk, hold);
    const value = Number(digits[0]);
    this.#rest = hold.slice(digits[0].length);
    const range = ranges[chunk];
    if (range && (value < range[0] || value > range[1])) this.#range(range[2]);
    this.#parts[chunk] = value;
    // Go takes a fraction after the seconds even where the layout has none.
    if (chunk === "05" && this.#layout === rfc3339) this.#optionalFraction();
  }

  #optionalFraction(): void {
    const fraction = /^[.,](\d+)/.exec(this.#rest);
    if (!fraction) return;
    this.#nanos = Number(fraction[1]!.slice(0, 9).padEnd(9, "0"));
    this.#rest = this.#rest.slice(fraction[0].length);
  }

  #fraction(): void {
    const fraction = /^[.,](\d{6})/.exec(this.#rest);
    if (!fraction) this.#bad(".000000", this.#rest);
    this.#nanos = Number(fraction[1]) * 1000;
    this.#rest = this.#rest.slice(7);
  }

  #zone(): void {
    const hold = this.#rest;
    if (hold.startsWith("Z")) {
      this.#rest = hold.slice(1);
      return;
    }
    const zone = /^([+-])(\d\d):(\d\d)/.exec(hold);
    if (!zone) this.#bad("Z07:00", hold);
    if (Number(zone[2]) > 24) this.#range("time zone offset hour");
    if (Number(zone[3]) > 60) this.#range("time zone offset minute");
    this.#offsetSeconds =
      (zone[1] === "-" ? -1 : 1) * (Number(zone[2]) * 3600 + Number(zone[3]) * 60);
    this.#rest = hold.slice(6);
  }

  #bad(element: string, rest: string): never {
    throw new GoTimeError(
      `parsing time ${quoteBytes(this.#text)} as ${quoteBytes(this.#layout)}: cannot parse ${quoteBytes(rest)} as ${quoteBytes(element)}`,
    );
  }

  #range(what: string): never {
    throw new GoTimeError(`parsing time ${quoteBytes(this.#text)}: ${what} out of range`);
  }
}
