// Which characters Go prints as they are: strconv.IsPrint, unicode.IsPrint.

const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/**
 * Letters, marks, numbers, punctuation, symbols and the plain space. Most texts are ASCII: for them
 * the expression is not compiled, which takes about 1 ms.
 */
export function isPrintable(c: string): boolean {
  return (c >= " " && c <= "~") || printable.test(c);
}
