// Go's time.Duration as text, e.g. `1h0m30s`, to and from nanoseconds.
// Upstream: Go's time package (Duration.String, ParseDuration).

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

/** Parses a duration such as `1h30m`, `1.5s` or `-10ms`; undefined for anything else. */
export function parseGoDuration(text: string): bigint | undefined {
  if (/^[+-]?0$/.test(text)) return 0n;
  if (!/^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0n;
  for (const [, whole = "", fraction = "", unit = ""] of text.matchAll(
    /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g,
  )) {
    const nanos = unitNanos[unit]!;
    total +=
      BigInt(whole || "0") * nanos +
      (BigInt(fraction || "0") * nanos) / 10n ** BigInt(fraction.length);
  }
  return text.startsWith("-") ? -total : total;
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
