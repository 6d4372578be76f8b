// Prints a ratio as Go's `%f` does: six places, exact halves to the even digit.

/** e.g. `1.007812` for 129/128, which lies exactly between two such numbers. */
export function formatRatio(ratio: number): string {
  const rounded = ratio.toFixed(6);
  const isHalf = /\.\d{6}50*$/.test(ratio.toFixed(20));
  if (!isHalf || Number(rounded.at(-1)) % 2 === 0) return rounded;
  return ratio.toFixed(20).replace(/(\.\d{6})\d*$/, "$1");
}
