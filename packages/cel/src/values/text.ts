// Strings count in code points; JavaScript's in UTF-16 units. The two agree unless surrogates
// occur.
// Upstream: github.com/google/cel-go v0.26 common/types/string.go (Size).

const surrogate = /[\ud800-\udfff]/;

/** The number of code points. */
export function codePointLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** Whether units and code points are the same in a text. */
export const isPlain = (text: string): boolean => !surrogate.test(text);
