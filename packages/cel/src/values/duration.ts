// duration: a signed count of nanoseconds in 64 bits.
// Upstream: github.com/google/cel-go v0.26 common/types/duration.go; Go's time.ParseDuration;
// k8s.io/kube-openapi/pkg/validation/strfmt/duration.go.
import { durationType } from "../types/type.ts";
import { CelError, noSuchOverload } from "./cel-error.ts";
import { formatPlain } from "./double.ts";
import { fitsInt } from "./int.ts";
import { order } from "./numbers.ts";
import { CelObject, type CelValue } from "./value.ts";

const second = 1_000_000_000n;
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  "µs": 1000n,
  "μs": 1000n,
  ms: 1_000_000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
};

/** A duration value. */
export class Duration extends CelObject {
  readonly type = durationType;
  readonly nanoseconds: bigint;

  constructor(nanoseconds: bigint) {
    super();
    this.nanoseconds = nanoseconds;
  }

  get seconds(): number {
    return Number(this.nanoseconds / second) + Number(this.nanoseconds % second) / 1e9;
  }

  equals(other: CelValue): boolean {
    return other instanceof Duration && other.nanoseconds === this.nanoseconds;
  }

  compare(other: CelValue): number {
    if (!(other instanceof Duration)) throw noSuchOverload();
    return order(this.nanoseconds, other.nanoseconds);
  }

  override isZero(): boolean {
    return this.nanoseconds === 0n;
  }

  /** `3.5s`: always seconds, unlike Go's own form. */
  format(): string {
    return `${formatPlain(this.seconds)}s`;
  }

  toString(): string {
    return formatGoDuration(this.nanoseconds);
  }
}

/** A duration, or an error outside 64 bits of nanoseconds. */
export function toDuration(nanoseconds: bigint): Duration {
  if (!fitsInt(nanoseconds)) throw new CelError("duration overflow");
  return new Duration(nanoseconds);
}

/** Go's duration text, e.g. `1h30m`, `-1.5s`, `300ms`; undefined where Go refuses it. */
export function parseGoDuration(text: string): bigint | undefined {
  const negative = text.startsWith("-");
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === "0") return 0n;
  if (rest === "") return undefined;
  let total = 0n;
  while (rest !== "") {
    const part = /^(\d*)(?:\.(\d*))?([^\d.]+)/.exec(rest);
    const unit = part ? units[part[3]!] : undefined;
    if (!part || unit === undefined || !(part[1] || part[2])) return undefined;
    const fraction = part[2] ?? "";
    total +=
      BigInt(part[1] || "0") * unit +
      (fraction ? (BigInt(fraction) * unit) / 10n ** BigInt(fraction.length) : 0n);
    rest = rest.slice(part[0].length);
  }
  const value = negative ? -total : total;
  return fitsInt(value) ? value : undefined;
}

const longUnits: readonly (readonly [RegExp, bigint])[] = [
  [/^(ns|nano|nanos|nanosecond|nanoseconds)$/, 1n],
  [/^(us|µs|micro|micros|microsecond|microseconds)$/, 1000n],
  [/^(ms|milli|millis|millisecond|milliseconds)$/, 1_000_000n],
  [/^(s|sec|secs|second|seconds)$/, second],
  [/^(m|min|mins|minute|minutes)$/, 60n * second],
  [/^(h|hr|hrs|hour|hours)$/, 3600n * second],
  [/^(d|day|days)$/, 86_400n * second],
  [/^(w|wk|week|weeks)$/, 604_800n * second],
];

/** The format `duration` of schemas: Go's text, or units such as in `3 days`. */
export function parseFormatDuration(text: string): bigint | undefined {
  const go = parseGoDuration(text);
  if (go !== undefined) return go;
  let total = 0n;
  let seen = false;
  for (const [, count = "", unit = ""] of text.matchAll(/((?:\d+)\s*)([A-Za-zµ]+)/g)) {
    const factor = longUnits.find(([pattern]) => pattern.test(unit.toLowerCase()))?.[1];
    if (factor === undefined) continue;
    total += BigInt(count.trim()) * factor;
    seen = true;
  }
  return seen ? total : undefined;
}

/** Go's `Duration.String()`, e.g. `1h0m0s`, `1.5ms`. */
export function formatGoDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s";
  const sign = nanoseconds < 0n ? "-" : "";
  const n = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (n < 1000n) return `${sign}${n}ns`;
  if (n < 1_000_000n) return `${sign}${decimal(n, 3)}µs`;
  if (n < second) return `${sign}${decimal(n, 6)}ms`;
  const seconds = n / second;
  const hours = seconds / 3600n;
  const minutes = (seconds / 60n) % 60n;
  const rest = `${decimal(n % (60n * second), 9)}s`;
  if (hours > 0n) return `${sign}${hours}h${minutes}m${rest}`;
  return minutes > 0n ? `${sign}${minutes}m${rest}` : sign + rest;
}

/** n / 10^places without trailing zeros. */
function decimal(n: bigint, places: number): string {
  const digits = n.toString().padStart(places + 1, "0");
  const fraction = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (fraction ? `.${fraction}` : "");
}
