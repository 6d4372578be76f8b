// Writes a text as go-yaml does: plain if it reads back as the same text, else quoted, or as a
// block if it has several lines.
// Upstream: go.yaml.in/yaml/v2 (encode.go stringv, resolve.go, emitterc.go analyze_scalar,
// select_scalar_style).

export type YamlStyle = "plain" | "single" | "double" | "literal";

const words =
  /^(?:~?|y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF|true|True|TRUE|false|False|FALSE|null|Null|NULL|\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF))$/;
const integer = /^[-+]?(?:0[xX][0-9a-fA-F]{1,16}|0[oO]?[0-7]+|0[bB][01]+|[1-9][0-9]*|0)$/;
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const base60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const timestamp =
  /^\d{4}-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?(?:Z|[-+]\d\d:\d\d))|(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.\d+)?))?$/;

/** True for a text that would read back as a boolean, null, number or time if it were plain. */
function readsAsOther(text: string): boolean {
  if (words.test(text) || base60.test(text)) return true;
  if (!/^[-+.0-9]/.test(text)) return false;
  const plain = text.startsWith(".") ? text : text.replaceAll("_", "");
  return (
    isTimestamp(text) ||
    (!text.startsWith(".") && integer.test(plain)) ||
    (float.test(plain) && Number.isFinite(Number(plain)))
  );
}

function isTimestamp(text: string): boolean {
  const found = timestamp.exec(text);
  if (!found) return false;
  const [month, day, ...time] = found.slice(1).map((part) => Number(part ?? 0));
  const [h = 0, m = 0, s = 0, hour = h, minute = m, second = s] = time;
  return (
    month! >= 1 &&
    month! <= 12 &&
    day! >= 1 &&
    day! <= 31 &&
    Math.max(h, hour) < 24 &&
    Math.max(m, minute) < 60 &&
    Math.max(s, second) < 60
  );
}

const breaks = /[\n\r\u0085\u2028\u2029]/;
const unprintable = /[^\n\u0020-\u007e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
/** Texts that would read back as structure outside brackets. */
const indicators =
  /^(?:---|\.\.\.)|^[#,[\]{}&*!|>'"%@`]|^[?:-](?=[ \t]|$)|:(?=[ \t]|$)|(?<=[ \t\n\r\u0085\u2028\u2029])#/;

/** The style for a text. */
export function yamlStyleOf(text: string): YamlStyle {
  const special = unprintable.test(text) || / [\n\r\u0085\u2028\u2029]/.test(text);
  if (text.includes("\n")) return !special && !text.endsWith(" ") ? "literal" : "double";
  if (text === "" || readsAsOther(text)) return "double";
  if (special) return "double";
  if (!/^ | $/.test(text) && !breaks.test(text) && !indicators.test(text)) return "plain";
  return /[\n\r\u0085\u2028\u2029] /.test(text) ? "double" : "single";
}

/** The text in its quotes, on one line. */
export function quoteYaml(text: string, style: YamlStyle): string {
  if (style === "single") return `'${text.replaceAll("'", "''")}'`;
  return style === "double"
    ? `"${text.replace(text.startsWith("\ufeff") ? everything : escaped, escape)}"`
    : text;
}

const escaped = /["\\]|[^\u0020-\u007e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/gu;
/** go-yaml treats every character after a leading byte order mark as another one. */
const everything = /./gsu;
const shortEscapes: Readonly<Record<string, string>> = {
  "\0": "0",
  "\u0007": "a",
  "\b": "b",
  "\t": "t",
  "\n": "n",
  "\u000b": "v",
  "\f": "f",
  "\r": "r",
  "\u001b": "e",
  '"': '"',
  "\\": "\\",
  "\u0085": "N",
  "\u2028": "L",
  "\u2029": "P",
};

function escape(c: string): string {
  const short = shortEscapes[c];
  if (short) return `\\${short}`;
  const code = c.codePointAt(0)!;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, "0")}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

/**
 * Integers as they are; floats in the shortest form, with an exponent below 1e-4 and from 1e6 on
 * (Go's %g).
 */
export function formatYamlNumber(value: number | bigint): string {
  if (typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < 2 ** 63))
    return String(value);
  const [digits = "", exponent = "0"] = value.toExponential().split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}
