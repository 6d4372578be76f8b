// The order of a mapping's keys in go-yaml: letters by code point, other characters before letters,
// digits as numbers.
// Upstream: go.yaml.in/yaml/v2/sorter.go.

const isLetter = (c: string): boolean => /\p{L}/u.test(c);
const isDigit = (c: string | undefined): boolean => c !== undefined && /\p{Nd}/u.test(c);

/** Compares two keys, e.g. `a9` before `a10`. */
export function compareYamlKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const at = left.findIndex((c, i) => c !== right[i]);
  if (at < 0 || at >= right.length) return left.length - right.length;
  const l = left[at]!;
  const r = right[at]!;
  if (isLetter(l) && isLetter(r)) return l.codePointAt(0)! - r.codePointAt(0)!;
  if (isLetter(l) || isLetter(r)) return isLetter(r) ? -1 : 1;
  return compareNumbers(left, right, at) || l.codePointAt(0)! - r.codePointAt(0)!;
}

/** A zero after digits is part of their number and counts on both sides. */
function compareNumbers(left: readonly string[], right: readonly string[], at: number): number {
  const behindDigits = (left[at] === "0" || right[at] === "0") && isBehindNonZero(left, at);
  const a = numberAt(left, at, behindDigits ? 1 : 0);
  const b = numberAt(right, at, behindDigits ? 1 : 0);
  return a.value - b.value || a.end - b.end;
}

function isBehindNonZero(text: readonly string[], at: number): boolean {
  for (let i = at - 1; i >= 0 && isDigit(text[i]); i--) if (text[i] !== "0") return true;
  return false;
}

function numberAt(
  text: readonly string[],
  at: number,
  start: number,
): { readonly value: number; readonly end: number } {
  let value = start;
  let end = at;
  for (; isDigit(text[end]); end++) value = value * 10 + (text[end]!.codePointAt(0)! - 48);
  return { value, end };
}
