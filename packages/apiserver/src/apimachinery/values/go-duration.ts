// Go's time.Duration as text, e.g. `1h0m30s`, to and from nanoseconds.
// Upstream: Go's time package (Duration.String, ParseDuration).
import { quoteBytes } from "./quote-bytes.ts";

const unitNanos: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Formats as Duration.String does. */
export function formatGoDuration(nanos: bigint): string {
  const sign = nanos < 0n ? "-" : "";
  const n = nanos < 0n ? -nanos : nanos;
  if (n === 0n) return "0s";
  if (n < unitNanos["s"]!) {
    const unit = ["ms", "µs", "ns"].find((each) => n >= unitNanos[each]!)!;
    return sign + decimal(n, unitNanos[unit]!) + unit;
  }
  const hours = n / unitNanos["h"]!;
  const minutes = (n / unitNanos["m"]!) % 60n;
  const seconds = `${decimal(n % unitNanos["m"]!, unitNanos["s"]!)}s`;
  if (hours) return `${sign}${hours}h${minutes}m${seconds}`;
  return minutes ? `${sign}${minutes}m${seconds}` : sign + seconds;
}

/** A duration in nanoseconds, or Go's message for text that is none. */
export type GoDuration = { readonly nanos: bigint } | { readonly fault: string };

const term = /^([0-9]*)(?:\.([0-9]*))?([^0-9.]*)/;

/**
 * Parses a duration such as `1h30m`, `1.5s` or `-10ms`. A message is e.g. `time: missing unit in
 * duration "5"`.
 */
export function parseGoDuration(text: string): GoDuration {
  const invalid = { fault: `time: invalid duration ${quoteBytes(text)}` };
  let rest = text.replace(/^[+-]/, "");
  if (rest === "0") return { nanos: 0n };
  if (rest === "") return invalid;
  let total = 0n;
  while (rest) {
    const [all, whole = "", fraction = "", unit = ""] = term.exec(rest)!;
    if (!whole && !fraction) return invalid;
    if (!unit) return { fault: `time: missing unit in duration ${quoteBytes(text)}` };
    if (!Object.hasOwn(unitNanos, unit))
      return { fault: `time: unknown unit ${quoteBytes(unit)} in duration ${quoteBytes(text)}` };
    const nanos = unitNanos[unit]!;
    total +=
      BigInt(whole || "0") * nanos +
      (BigInt(fraction || "0") * nanos) / 10n ** BigInt(fraction.length);
    rest = rest.slice(all.length);
  }
  const value = text.startsWith("-") ? -total : total;
  return BigInt.asIntN(64, value) === value ? { nanos: value } : invalid;
}

function decimal(n: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = digits
    ? String(n % unit)
        .padStart(digits, "0")
        .replace(/0+$/, "")
    : "";
  return fraction ? `${n / unit}.${fraction}` : String(n / unit);
}
