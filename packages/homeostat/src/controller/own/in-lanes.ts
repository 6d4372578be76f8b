// Runs asynchronous work on items with bounded concurrency.

/**
 * Runs `run` on every item, `lanes` at a time. Results are in the order of the items. After an
 * error no item begins; rejects with the first error once the items that run have settled.
 */
export async function inLanes<T, R>(
  lanes: number,
  items: readonly T[],
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const errors: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let i = next++; i < items.length && errors.length === 0; i = next++)
      try {
        results[i] = await run(items[i]!);
      } catch (error) {
        errors.push(error);
      }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
  return results;
}
