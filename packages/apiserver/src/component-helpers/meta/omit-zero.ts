// Counts of a status as Go writes them with `omitempty`.

/** The fields that are neither absent nor zero, in their order. */
export function omitZero<T extends Readonly<Record<string, number | undefined>>>(
  counts: T,
): { readonly [F in keyof T]?: number } {
  const kept: { [F in keyof T]?: number } = {};
  for (const field in counts) {
    const count = counts[field];
    if (count) kept[field] = count;
  }
  return kept;
}
