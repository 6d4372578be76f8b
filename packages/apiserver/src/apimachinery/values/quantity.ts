// Canonicalises quantities as the server does, e.g. `1024Mi` to `1Gi`, `0.1` to `100m`; `3Gi`
// stays.
// Upstream: k8s.io/apimachinery/pkg/api/resource quantity.go (ParseQuantity, CanonicalizeBytes),
// suffix.go.

/** The canonical text, or Go's parse error. */
export type CanonicalQuantity = { readonly text: string } | { readonly error: string };

const wrongForm = {
  error:
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
};
const wrongSuffix = { error: "unable to parse quantity's suffix" };
const wrongNumber = { error: "unable to parse numeric part of quantity" };

const decimal: ReadonlyMap<string, number> = new Map([
  ["n", -9],
  ["u", -6],
  ["m", -3],
  ["", 0],
  ["k", 3],
  ["M", 6],
  ["G", 9],
  ["T", 12],
  ["P", 15],
  ["E", 18],
]);
const binary: readonly string[] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const pattern = /^([+-]?)0*([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)$/;
const nano = 1_000_000_000n;
const maxBinary = (1n << 63n) - 1n;

/** How a quantity is written: `100m`, `64Mi`, `1e3`. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";
type Format = QuantityFormat;
interface Suffix {
  readonly format: Format;
  readonly exponent: number;
}

/** The sum; zero takes the format of what is added. Upstream: Quantity.Add. */
export const addQuantities = (sum: Quantity | undefined, addend: Quantity): Quantity =>
  sum && sum.nano !== 0n ? { nano: sum.nano + addend.nano, format: sum.format } : addend;

/** Parses and prints a quantity as Go does on a round trip. */
export function canonicalQuantity(text: string): CanonicalQuantity {
  if (text === "0") return { text };
  const match = pattern.exec(text);
  if (!text || !match) return wrongForm;
  const [, sign, whole = "", fraction = "", suffixText = ""] = match;
  const suffix = parseSuffix(suffixText);
  if (!suffix) return wrongSuffix;
  const hasDigits = /[0-9]/.test(text.slice(0, text.length - suffixText.length));
  if (!hasDigits && !fitsInt64(suffix)) return wrongNumber;
  const digits = `${whole || "0"}${fraction}`;
  if (staysAsWritten(digits, fraction.length, suffix)) return { text };
  const amount = toNano(BigInt(digits), fraction.length, suffix);
  return {
    text: format(
      sign === "-" ? -amount : amount,
      amount < nano && suffix.format === "BinarySI" ? "DecimalSI" : suffix.format,
    ),
  };
}

/** A quantity as a number of billionths, and the way it is written. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: QuantityFormat;
}

/** A quantity as it is written. */
export interface QuantityParts {
  readonly negative: boolean;
  /** Before and after the point, without leading zeros of the former. */
  readonly digits: string;
  /** Digits after the point. */
  readonly places: number;
  readonly format: QuantityFormat;
  /** Of two for BinarySI, of ten otherwise. */
  readonly exponent: number;
}

/** Takes a quantity apart; undefined for a text of another form. */
export function quantityParts(text: string): QuantityParts | undefined {
  const match = pattern.exec(text);
  const suffix = match && parseSuffix(match[4] ?? "");
  if (!match || !suffix) return undefined;
  const [, sign, whole = "", fraction = ""] = match;
  return {
    negative: sign === "-",
    digits: `${whole || "0"}${fraction}`,
    places: fraction.length,
    ...suffix,
  };
}

/** Reads a quantity that {@link canonicalQuantity} has accepted; zero for anything else. */
export function parseQuantity(text: string): Quantity {
  const parts = quantityParts(text);
  if (!parts) return { nano: 0n, format: "DecimalSI" };
  const amount = toNano(BigInt(parts.digits), parts.places, parts);
  return { nano: parts.negative ? -amount : amount, format: parts.format };
}

/** The canonical text of a quantity. */
export function formatQuantity({ nano: amount, format: as }: Quantity): string {
  return format(amount, as === "BinarySI" && amount < nano && amount > -nano ? "DecimalSI" : as);
}

function parseSuffix(text: string): Suffix | undefined {
  const power = decimal.get(text);
  if (power !== undefined) return { format: "DecimalSI", exponent: power };
  const step = binary.indexOf(text);
  if (step > 0) return { format: "BinarySI", exponent: step * 10 };
  return /^[eE][+-]?[0-9]+$/.test(text)
    ? { format: "DecimalExponent", exponent: Number(text.slice(1)) }
    : undefined;
}

/** Whether Go calculates a zero of this unit in int64, where no digits are a zero, too. */
const fitsInt64 = ({ format: as, exponent }: Suffix): boolean =>
  as === "BinarySI" ? exponent < 50 : exponent >= -9;

/** Go keeps a text that passes a cheap test for canonical form. */
function staysAsWritten(digits: string, places: number, { format, exponent }: Suffix): boolean {
  const scale = (format === "BinarySI" ? 0 : exponent) - places;
  if (scale < -9) return false;
  if (format === "BinarySI")
    return (
      places === 0 &&
      14 - digits.length - Math.trunc((exponent * 3) / 10) >= 0 &&
      (BigInt(digits) & 7n) !== 0n
    );
  return digits.length <= 18 && scale % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
}

/** The magnitude in billionths, rounded up. */
function toNano(digits: bigint, places: number, { format, exponent }: Suffix): bigint {
  const scaled = format === "BinarySI" ? (digits << BigInt(exponent)) * nano : digits * nano;
  const power = (format === "BinarySI" ? 0 : Math.max(-1000, Math.min(1000, exponent))) - places;
  if (power >= 0) return scaled * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  const amount = (scaled + divisor - 1n) / divisor;
  return format === "BinarySI" && amount > maxBinary * nano ? maxBinary * nano : amount;
}

function format(amount: bigint, as: Format): string {
  if (amount === 0n) return "0";
  const small = amount > -1024n * nano && amount < 1024n * nano;
  if (as === "BinarySI" && !small && amount % nano === 0n) return base1024(amount / nano);
  return base1000(amount, as);
}

function base1024(value: bigint): string {
  let step = 0;
  let rest = value;
  while (rest % 1024n === 0n && step < binary.length - 1) {
    rest /= 1024n;
    step++;
  }
  return `${rest}${binary[step]}`;
}

function base1000(amount: bigint, as: Format): string {
  let exponent = -9;
  let rest = amount;
  while (rest % 1000n === 0n && (as === "DecimalExponent" || exponent < 18)) {
    rest /= 1000n;
    exponent += 3;
  }
  if (as === "DecimalExponent") return `${rest}${exponent ? `e${exponent}` : ""}`;
  return `${rest}${[...decimal].find(([, power]) => power === exponent)![0]}`;
}
