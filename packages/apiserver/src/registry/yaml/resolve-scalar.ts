// What a YAML scalar without quotes means: go-yaml's rules, which are neither YAML 1.1's nor 1.2's
// (`0o17` is a number, `1:30` is none). Pure.
// Upstream: go.yaml.in/yaml/v2 (resolve.go), sigs.k8s.io/yaml (yaml.go, keys of maps).

/** Types that a scalar may have or a tag may ask for. */
export type ScalarType = "str" | "bool" | "int" | "float" | "null" | "timestamp";

export interface ResolvedScalar {
  readonly type: ScalarType;
  readonly value: string | number | bigint | boolean | null;
}

const words: ReadonlyMap<string, ResolvedScalar> = new Map(
  (
    [
      ["bool", true, "y Y yes Yes YES true True TRUE on On ON"],
      ["bool", false, "n N no No NO false False FALSE off Off OFF"],
      ["null", null, "~ null Null NULL"],
      ["float", Number.NaN, ".nan .NaN .NAN"],
      ["float", Infinity, ".inf .Inf .INF +.inf +.Inf +.INF"],
      ["float", -Infinity, "-.inf -.Inf -.INF"],
    ] as const
  ).flatMap(([type, value, texts]) => texts.split(" ").map((text) => [text, { type, value }])),
);

const integer = /^([+-]?)(0x[0-9a-f]+|0b[01]+|0o?[0-7]+|0|[1-9][0-9]*)$/i;
/** A sign behind the prefix, which upstream cuts off: `0b-1` is -1. */
const signedBinary = /^0b(?<sign>[+-])(?<digits>[01]+)$/;
const leadingZeros = /^0[xbo]?0*/i;
const float = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
/** Behind a leading point only Go's rules for underscores hold: one between two digits. */
const fraction = /^\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/;
const timestamp =
  /^\d{4}-\d\d?-\d\d?(?:[Tt]\d\d?:\d\d?:\d\d?(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)| \d\d?:\d\d?:\d\d?(?:\.\d+)?)?$/;
const int64 = { min: -(2n ** 63n), max: 2n ** 63n - 1n };
const uint64Max = 2n ** 64n - 1n;

/** The value of a scalar's text; whatever is nothing else is a string. */
export function resolveScalar(text: string): ResolvedScalar {
  if (text === "") return { type: "null", value: null };
  const word = words.get(text);
  if (word) return word;
  if (/^[0-9+-]/.test(text)) return resolveNumber(text);
  if (!fraction.test(text)) return { type: "str", value: text };
  const value = Number(text.replaceAll("_", ""));
  return Number.isFinite(value) ? { type: "float", value } : { type: "str", value: text };
}

function resolveNumber(text: string): ResolvedScalar {
  if (timestamp.test(text)) return { type: "timestamp", value: text };
  const plain = text.replaceAll("_", "");
  const whole = toInteger(plain.replace(signedBinary, "$<sign>0b$<digits>"));
  if (whole !== undefined) return { type: "int", value: whole };
  const isFloat = float.test(plain) && Number.isFinite(Number(plain));
  return isFloat ? { type: "float", value: Number(plain) } : { type: "str", value: text };
}

/** An int64, or a uint64 without a sign, in any of Go's bases. */
function toInteger(text: string): number | bigint | undefined {
  const [, sign, digits] = integer.exec(text) ?? [];
  // Longer numbers are none, and dear to read.
  if (digits === undefined || digits.replace(leadingZeros, "").length > 64) return undefined;
  const size = BigInt(/^0[0-7]/.test(digits) ? `0o${digits}` : digits.toLowerCase());
  const value = sign === "-" ? -size : size;
  if (value < int64.min || value > (sign ? int64.max : uint64Max)) return undefined;
  return Number.isSafeInteger(Number(value)) ? Number(value) : value;
}

const longestFloat32 = 9;

/** A float as the key of a map: the shortest text of its float32, as Go's `%g`. */
export function formatFloatKey(value: number): string {
  if (Number.isNaN(value)) return ".nan";
  const single = Math.fround(value);
  if (!Number.isFinite(single)) return single > 0 ? ".inf" : "-.inf";
  let digits = 1;
  while (digits < longestFloat32 && Math.fround(Number(single.toPrecision(digits))) !== single)
    digits += 1;
  const short = single.toPrecision(digits);
  const [mantissa, exponent] = single.toExponential(digits - 1).split("e") as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return `${Object.is(single, -0) ? "-" : ""}${Number(short)}`;
  return `${mantissa}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
