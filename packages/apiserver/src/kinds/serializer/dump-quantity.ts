// The fields of a Quantity as Go keeps them after parsing, printed for a hash. Amounts that fit are
// an integer with a scale, all others an arbitrary-precision decimal.
// Upstream: k8s.io/apimachinery/pkg/api/resource (quantity.go ParseQuantity, amount.go), in
// gopkg.in/inf.v0 (dec.go), math/big (Word, nat).
import {
  canonicalQuantity,
  quantityParts,
  type QuantityParts,
} from "../../apimachinery/values/quantity.ts";

const maxInt64 = (1n << 63n) - 1n;
/** Digits that an int64 holds whatever they are (`maxInt64Factors`). */
const safeDigits = 18;
const nanoPlaces = 9;

interface Fields {
  readonly amount?: { readonly value: bigint; readonly scale: number };
  readonly decimal?: { readonly unscaled: bigint; readonly scale: number };
  /** The text, when it is canonical at a glance. */
  readonly text: string;
  readonly format: string;
}

/**
 * `{i:(resource.int64Amount){value:(int64)5 …} d:… s:(string)5 Format:(resource.Format)DecimalSI}`.
 */
export function dumpQuantity(text: string): string {
  const { amount, decimal, text: kept, format } = fieldsOf(text);
  const dec = decimal
    ? `{unscaled:(big.Int){neg:(bool)${decimal.unscaled < 0n} abs:(big.nat)${dumpWords(decimal.unscaled)}} scale:(inf.Scale)${decimal.scale}}`
    : "<nil>";
  return (
    `{i:(resource.int64Amount){value:(int64)${amount?.value ?? 0} scale:(resource.Scale)${amount?.scale ?? 0}} ` +
    `d:(resource.infDecAmount){Dec:(*inf.Dec)${dec}} s:(string)${kept} Format:(resource.Format)${format}}`
  );
}

function fieldsOf(text: string): Fields {
  const parts = quantityParts(text);
  if (text === "0" || !parts || !("text" in canonicalQuantity(text)))
    return { text: "0", format: "DecimalSI" };
  return integerFields(text, parts) ?? decimalFields(parts);
}

/** The fast path; undefined for what does not fit an int64. */
function integerFields(text: string, parts: QuantityParts): Fields | undefined {
  const { negative, digits, places, format, exponent } = parts;
  const isBinary = format === "BinarySI";
  const scale = (isBinary ? 0 : exponent) - places;
  const spare = isBinary
    ? 15 - digits.length - Math.trunc((exponent * 3) / 10) - 1
    : safeDigits - digits.length;
  if (spare < 0 || (isBinary && places > 0) || scale < -nanoPlaces) return undefined;
  const value = BigInt(digits);
  const magnitude = isBinary ? value << BigInt(exponent) : value;
  if (magnitude > maxInt64) return undefined;
  const isCanonical = isBinary
    ? (value & 7n) !== 0n
    : scale % 3 === 0 && !digits.endsWith("000") && digits[0] !== "0";
  const amount = { value: negative ? -magnitude : magnitude, scale };
  return { amount, text: isCanonical ? text : "", format };
}

function decimalFields({ negative, digits, places, format, exponent }: QuantityParts): Fields {
  const isBinary = format === "BinarySI";
  const unscaled = isBinary ? BigInt(digits) << BigInt(exponent) : BigInt(digits);
  const rounded = roundToNano(unscaled, isBinary ? places : places - exponent);
  const isTooLarge = isBinary && rounded.unscaled > maxInt64 * 10n ** BigInt(rounded.scale);
  const { unscaled: magnitude, scale } = isTooLarge ? { unscaled: maxInt64, scale: 0 } : rounded;
  const isFraction = isBinary && magnitude > 0n && magnitude < 10n ** BigInt(Math.max(0, scale));
  return {
    decimal: { unscaled: negative ? -magnitude : magnitude, scale },
    text: "",
    format: isFraction ? "DecimalSI" : format,
  };
}

/** Away from zero, to nine places; zero keeps its scale. */
function roundToNano(
  unscaled: bigint,
  scale: number,
): { readonly unscaled: bigint; readonly scale: number } {
  if (unscaled === 0n) return { unscaled, scale };
  const shift = nanoPlaces - scale;
  if (shift >= 0) return { unscaled: unscaled * 10n ** BigInt(shift), scale: nanoPlaces };
  const divisor = 10n ** BigInt(-shift);
  return { unscaled: (unscaled + divisor - 1n) / divisor, scale: nanoPlaces };
}

/** Little-endian 64-bit words, e.g. `[1 2]`. */
function dumpWords(value: bigint): string {
  const words: bigint[] = [];
  for (let rest = value < 0n ? -value : value; rest > 0n; rest >>= 64n)
    words.push(BigInt.asUintN(64, rest));
  return `[${words.join(" ")}]`;
}
